import type { Budget } from '#lib/client';
import { print, UsageError } from '#lib/command-line';
import { defineCommand, oneOf, wholeNumber } from './command.js';
import { connect } from './connect.js';
import { dollars } from './dollars.js';
import { printTable } from './past/table.js';

const notes = `Needs a key with the scope tenant:admin: INVOQ_ADMIN_KEY. Costs are US dollars; what is spent has what is held for open calls.`;

export const listBudgets = defineCommand({
  options: { json: { type: 'boolean', help: 'as JSON' } },
  notes,
  async run({ values: { json } }) {
    const { budgets } = await connect('admin').budgets.list();
    if (json) return print(JSON.stringify(budgets, null, 2));
    printTable(
      ['name', 'of', 'period', 'spent', 'limit', 'calls', 'limit', 'begins anew'],
      budgets.map((budget) => {
        const { name, period, time_zone, limit_micros, limit_calls, spent } = budget;
        const [micros, calls] = [spent.micros + spent.reserved_micros, spent.calls + spent.reserved_calls];
        const limit = limit_micros === null ? null : `$${dollars(limit_micros)}`;
        return [name, whose(budget), `${period} ${time_zone}`, `$${dollars(micros)}`, limit, calls, limit_calls, spent.resets_at];
      }),
    );
  },
});

export const putBudget = defineCommand({
  positionals: ['<name>'],
  options: {
    period: { type: 'string', value: '<period>', help: 'day or month; needed' },
    dollars: { type: 'string', value: '<amount>', help: 'what calls may cost, such as 12.50' },
    calls: { type: 'string', value: '<number>', help: 'how many calls there may be' },
    user: { type: 'string', value: '<id>', help: 'only calls of this user' },
    key: { type: 'string', value: '<id>', help: 'only calls by this key' },
    tool: { type: 'string', value: '<name>', help: 'only calls of this tool' },
    'time-zone': { type: 'string', value: '<zone>', help: 'whose midnight begins a period, such as Europe/Berlin (default: UTC)' },
    'warn-at': { type: 'string', value: '<share>', help: 'from which share of a limit on it warns, 0 to 1 (default: 0.8)' },
  },
  notes: `Makes a budget, or puts it in the place of another.\n\n${notes}`,
  async run({ positionals: [name = ''], values }) {
    const { user, key, tool } = values;
    const period = oneOf('--period', values.period, ['day', 'month']);
    const micros = values.dollars === undefined ? undefined : microsIn(values.dollars);
    const calls = wholeNumber('--calls', values.calls, { min: 0, max: 1_000_000_000_000 });
    if (period === undefined || (micros === undefined && calls === undefined))
      throw new UsageError('--period is needed, and --dollars or --calls');
    const [zone, share] = [values['time-zone'], values['warn-at']];
    const made = await connect('admin').budgets.put(name, {
      period,
      ...(micros !== undefined && { limit_micros: micros }),
      ...(calls !== undefined && { limit_calls: calls }),
      ...(user !== undefined && { user }),
      ...(key !== undefined && { key }),
      ...(tool !== undefined && { tool }),
      ...(zone !== undefined && { time_zone: zone }),
      ...(share !== undefined && { warn_at: Number(share) }),
    });
    const limits = [
      made.limit_micros !== null && `$${dollars(made.limit_micros)}`,
      made.limit_calls !== null && `${made.limit_calls} calls`,
    ];
    print(`${made.name}: ${limits.filter((limit) => limit !== false).join(' and ')} a ${made.period} for ${whose(made)}`);
  },
});

export const deleteBudget = defineCommand({
  positionals: ['<name>'],
  options: {},
  notes,
  async run({ positionals: [name = ''] }) {
    print(`Deleted ${(await connect('admin').budgets.delete(name)).name}`);
  },
});

function whose({ user, key, tool }: Budget): string {
  const parts = [user !== null && `user ${user}`, key !== null && `key ${key}`, tool !== null && `tool ${tool}`].filter(
    (part) => part !== false,
  );
  return parts.length === 0 ? 'all calls' : parts.join(', ');
}

/** Throws UsageError. */
function microsIn(text: string): number {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text)) throw new UsageError('--dollars must be an amount with at most six decimals, such as 12.50');
  return Math.round(Number(text) * 1_000_000);
}
