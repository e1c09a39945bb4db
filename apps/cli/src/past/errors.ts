import { print, UsageError } from '#lib/command-line';
import { defineCommand, oneOf } from '../command.js';
import { connect } from '../connect.js';
import { momentOf, scopeOf } from './past-options.js';
import { limitOption, readPages } from './read-pages.js';
import { printTable } from './table.js';

const titles = ['count', 'cause', 'tool', 'code', 'message', 'tenant', 'last', 'trace'];
const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const errors = defineCommand({
  options: {
    scope: { type: 'string', value: '<whose>', help: 'tenant: that of the key, the default; all: of every tenant, with the scope admin' },
    tenant: { type: 'string', value: '<name>', help: 'of this tenant alone; needs the scope admin' },
    tool: { type: 'string', value: '<name>', help: 'only those of one tool' },
    code: { type: 'string', value: '<code>', help: "only those with this code: a canonical one, or the tool's own" },
    cause: {
      type: 'string',
      value: '<cause>',
      help: 'caller: what was asked for, or how often; system: faults of Invoq, of tools, or behind them',
    },
    since: { type: 'string', value: '<time>', help: 'such as 15m, 24h or 7d (default: 1h)' },
    from: { type: 'string', value: '<time>', help: 'at or after, in the place of --since: a day of UTC, or ISO 8601 with an offset' },
    to: { type: 'string', value: '<time>', help: 'before (default: now)' },
    limit: limitOption,
    json: { type: 'boolean', help: 'the kinds of error as JSON, with samples and counts by time' },
  },
  notes: `The most frequent come first, refusals at the gateway included. In a message # stands for what differs from call to call.

Needs the key of an administrator: INVOQ_ADMIN_KEY, else INVOQ_API_KEY.`,
  async run({ values: { scope, tenant, tool, code, cause, since, from, to, limit, json } }) {
    const filter = {
      scope: scopeOf({ scope, tenant }, ['tenant', 'all']),
      tenant,
      tool,
      code,
      cause: oneOf('--cause', cause, ['caller', 'system']),
      from: since === undefined ? momentOf(from) : startOf(since),
      to: momentOf(to),
    };
    const invoq = connect('admin');
    const kinds = await readPages(limit, async (page) => {
      const { errors: rows, pagination } = await invoq.errors({ ...filter, ...page });
      return { rows, next: pagination.next_cursor };
    });
    if (json) return print(JSON.stringify(kinds, null, 2));
    const rows = kinds.map((kind) => [
      kind.count,
      kind.cause,
      kind.tool_name,
      kind.native_code ?? kind.code,
      kind.message,
      kind.tenant_id,
      kind.last_at,
      kind.samples[0]?.trace_id ?? null,
    ]);
    printTable(titles, rows);
  },
});

function startOf(since: string): string {
  const [, number = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(since) ?? [];
  if (unit !== 'm' && unit !== 'h' && unit !== 'd')
    throw new UsageError(`--since must be a number and m, h or d, such as 24h, not ${since}`);
  return new Date(Date.now() - Number(number) * units[unit]).toISOString();
}
