import { print, UsageError } from '#lib/command-line';
import { inputKinds, inputStates } from '#lib/contracts';
import { defineCommand, oneOf } from './command.js';
import { connect } from './connect.js';
import { objectIn } from './json-option.js';
import { limitOption, readPages } from './past/read-pages.js';
import { printTable } from './past/table.js';

const notes =
  'Approving needs a key with the scope approvals, of somebody else than the caller: INVOQ_API_KEY. Who made the call answers its questions.';
const reason = { type: 'string', value: '<text>', help: 'for the caller and the audit' } as const;
const mostOfPage = 100;

export const listInputs = defineCommand({
  options: {
    state: { type: 'string', value: '<state>', help: `one of ${inputStates.join(', ')} (default: open)` },
    kind: { type: 'string', value: '<kind>', help: `one of ${inputKinds.join(', ')}` },
    tool: { type: 'string', value: '<name>', help: 'only about the calls of one tool' },
    all: { type: 'boolean', help: 'all of your tenant, with the scope approvals' },
    limit: limitOption,
    json: { type: 'boolean', help: 'as JSON' },
  },
  notes: 'Those of your own calls, and what you may approve, newest first.',
  async run({ values }) {
    const state = oneOf('--state', values.state, inputStates) ?? 'open';
    const kind = oneOf('--kind', values.kind, inputKinds);
    const { inputRequests } = connect();
    const filter = {
      state,
      ...(kind && { kind }),
      ...(values.tool && { tool: values.tool }),
      ...(values.all && { scope: 'tenant' as const }),
    };
    const rows = await readPages(values.limit, async (page) => {
      const found = await inputRequests.list({ ...filter, ...page, limit: Math.min(page.limit, mostOfPage) });
      return { rows: found.input_requests, next: found.pagination.next_cursor };
    });
    if (values.json) return print(JSON.stringify(rows, null, 2));
    printTable(
      ['id', 'tool', 'of', 'until', 'state', 'message'],
      rows.map((row) => [row.id, row.tool_name, row.requested_by, row.expires_at, row.state, row.message]),
    );
  },
});

export const showInput = defineCommand({
  positionals: ['<id>'],
  options: {},
  async run({ positionals: [id = ''] }) {
    print(JSON.stringify(await connect().inputRequests.get(id), null, 2));
  },
});

export const acceptInput = defineCommand({
  positionals: ['<id>'],
  options: {
    content: { type: 'string', value: '<json>', help: 'the answer to a question, by its schema' },
    arguments: { type: 'string', value: '<json>', help: 'run it with these parameters instead; what still is [redacted] stays as it was' },
    reason,
  },
  notes,
  async run({ positionals: [id = ''], values }) {
    if (values.content !== undefined && values.arguments !== undefined)
      throw new UsageError('Give --content for a question, or --arguments for an approval, not both');
    const changed = values.arguments === undefined ? undefined : { arguments: objectIn('--arguments', values.arguments) };
    const content = values.content === undefined ? changed : objectIn('--content', values.content);
    const decided = await connect().inputRequests.decide(id, {
      action: 'accept',
      ...(content && { content }),
      ...(values.reason !== undefined && { reason: values.reason }),
    });
    print(`Accepted; follow the call: invoq jobs follow ${decided.job_id}`);
  },
});

export const declineInput = defineCommand({
  positionals: ['<id>'],
  options: { reason },
  notes,
  async run({ positionals: [id = ''], values }) {
    await connect().inputRequests.decide(id, { action: 'decline', ...(values.reason !== undefined && { reason: values.reason }) });
    print(`Declined ${id}`);
  },
});
