import { print } from '#lib/command-line';
import { endStates } from '#lib/contracts';
import { defineCommand, oneOf } from '../command.js';
import { callNotes, callOptions, momentOf, whoseCalls } from './past-options.js';
import { limitOption, readPages } from './read-pages.js';
import { printTable } from './table.js';

const titles = ['ended', 'state', 'tool', 'tenant', 'user', 'ms', 'job', 'trace'];

export const history = defineCommand({
  options: {
    state: { type: 'string', value: '<state>', help: `one of ${endStates.join(', ')}` },
    code: { type: 'string', value: '<code>', help: "only those that ended with this error, such as TIMEOUT; also the tool's own" },
    ...callOptions,
    from: { type: 'string', value: '<time>', help: 'ended at or after: a day of UTC, or ISO 8601 with an offset' },
    to: { type: 'string', value: '<time>', help: 'ended before' },
    limit: limitOption,
    json: { type: 'boolean', help: 'the calls as JSON' },
  },
  notes: `Those that ended last come first. Parameters and results are not kept; invoq jobs show has them for 24 hours.
${callNotes}`,
  async run({ values: { state, code, scope, tenant, tool, user, from, to, limit, json } }) {
    const { invoq, whose } = whoseCalls({ scope, tenant });
    const filter = { state: oneOf('--state', state, endStates), code, ...whose, tool, user, from: momentOf(from), to: momentOf(to) };
    const calls = await readPages(limit, async (page) => {
      const { calls: rows, pagination } = await invoq.history({ ...filter, ...page });
      return { rows, next: pagination.next_cursor };
    });
    if (json) return print(JSON.stringify(calls, null, 2));
    const rows = calls.map((call) => [
      call.finished_at,
      call.error === null ? call.state : `${call.state} ${call.error.native_code ?? call.error.code}`,
      call.tool_name,
      call.tenant_id,
      call.user_id,
      call.duration_ms,
      call.job_id,
      call.trace_id,
    ]);
    printTable(titles, rows);
  },
});
