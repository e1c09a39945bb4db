import type { CallSum } from '#lib/client';
import { print } from '#lib/command-line';
import { sumGroups } from '#lib/contracts';
import { defineCommand } from '../command.js';
import { dollars } from '../dollars.js';
import { callNotes, callOptions, whoseCalls } from './past-options.js';
import { limitOption, readPages } from './read-pages.js';
import { printTable } from './table.js';

export const usage = defineCommand({
  options: {
    by: {
      type: 'string',
      value: '<groups>',
      help: `what has a row of its own: ${sumGroups.join(', ')}, comma-separated (default: day,tool)`,
    },
    ...callOptions,
    conversation: { type: 'string', value: '<id>', help: 'only turns of this conversation, and what they have called' },
    from: { type: 'string', value: '<day>', help: 'the first day of UTC, such as 2026-01-31 (default: 29 days before the last)' },
    to: { type: 'string', value: '<day>', help: 'the last day (default: today)' },
    limit: limitOption,
    json: { type: 'boolean', help: 'the sums as JSON' },
  },
  notes: `Counts calls that ran and have ended; answers from the cache are not among them. The mean is that of handlers, of the last attempt; p95 is from acceptance to end. Costs are US dollars.
${callNotes}`,
  async run({ values: { by = 'day,tool', scope, tenant, tool, user, conversation, from, to, limit, json } }) {
    const { invoq, whose } = whoseCalls({ scope, tenant });
    const filter = { by, ...whose, tool, user, conversation, from, to };
    const sums = await readPages(limit, async (page) => {
      const { sums: rows, pagination } = await invoq.callSums({ ...filter, ...page });
      return { rows, next: pagination.next_cursor };
    });
    if (json) return print(JSON.stringify(sums, null, 2));
    const groups = sumGroups.filter((group) => by.split(',').includes(group));
    const titles = [...groups, 'calls', 'failed', 'cancelled', 'attempts', 'mean ms', 'p95 ms', 'input tokens', 'output tokens', 'cost'];
    const rows = sums.map((sum) => [...groups.map((group) => valueOf(sum, group)), ...figuresOf(sum)]);
    printTable(titles, rows);
  },
});

function valueOf(sum: CallSum, group: (typeof sumGroups)[number]): string | null {
  const { day, tenant_id: tenant, user_id: user, credential_id: key, tool_name: tool, model, conversation_id: conversation } = sum;
  return { day, tenant, user, key, tool, model, conversation }[group] ?? null;
}

function figuresOf({
  calls,
  failed,
  cancelled,
  attempts,
  execution_ms,
  p95_ms = null,
  input_tokens,
  output_tokens,
  cost_micros = 0,
}: CallSum) {
  const mean = execution_ms / Math.max(1, calls);
  return [calls, failed, cancelled, attempts, mean, p95_ms, input_tokens, output_tokens, `$${dollars(cost_micros)}`];
}
