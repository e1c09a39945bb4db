import { print, printError } from '#lib/command-line';
import { defineCommand, wholeNumber } from '../command.js';
import { connect } from '../connect.js';
import { limitOption, readPages } from '../past/read-pages.js';
import { printTable } from '../past/table.js';

const json = { type: 'boolean', help: 'as JSON' } as const;
const mostOfPage = 100;

export const listBatches = defineCommand({
  options: { limit: limitOption, json },
  async run({ values: { limit, json: asJson } }) {
    const { batches } = connect();
    const rows = await readPages(limit, async (page) => {
      const found = await batches.list({ ...page, limit: Math.min(page.limit, mostOfPage) });
      return { rows: found.batches, next: found.pagination.next_cursor };
    });
    if (asJson) return print(JSON.stringify(rows, null, 2));
    printTable(
      ['batch', 'state', 'calls', 'completed', 'failed', 'cancelled', 'made'],
      rows.map((row) => [row.batch_id, row.state, row.total, row.completed, row.failed, row.cancelled, row.created_at]),
    );
  },
});

export const cancelBatch = defineCommand({
  positionals: ['<batch>'],
  options: {},
  async run({ positionals: [id = ''] }) {
    const { batch_id } = await connect().batches.cancel(id);
    print(`Cancels ${batch_id}`);
  },
});

export const replayCalls = defineCommand({
  options: {
    tool: { type: 'string', value: '<name>', help: 'of this tool' },
    code: { type: 'string', value: '<code>', help: "with this error code, canonical or the tool's own" },
    from: { type: 'string', value: '<time>', help: 'ended at this time or after, ISO 8601 with an offset' },
    to: { type: 'string', value: '<time>', help: 'ended before this time' },
    rate: { type: 'string', value: '<number>', help: 'calls that begin in a second at the most' },
    'dry-run': { type: 'boolean', help: 'only say how many they are' },
  },
  notes: 'Failed calls are kept for FAILED_DAYS days. Each is tried again as a new job that names it. Prints the batch.',
  async run({ values: { tool, code, from, to, rate, 'dry-run': isDry } }) {
    const { batches } = connect();
    const selection = {
      ...(tool !== undefined && { tool }),
      ...(code !== undefined && { code }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    };
    if (isDry) return print(`${await batches.countReplays(selection)} failed calls`);
    const ratePerS = wholeNumber('--rate', rate, { min: 1, max: 10_000 });
    const { batch_id, total } = await batches.replay(selection, { ratePerS });
    printError(`Tries ${total} calls again`);
    print(batch_id);
  },
});
