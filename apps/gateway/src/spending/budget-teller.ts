import type { Database } from '#lib/platform';
import type { BudgetCounts, CountedBudget } from '#lib/transport';
import type { OutboxEvent } from '../outbox/outbox-event.js';
import type { Outbox } from '../outbox/outbox.js';
import type { ReadyBudget } from './budget-directory.js';

interface BudgetTellerParts {
  readonly database: Pick<Database, '$transaction'>;
  readonly outbox: Pick<Outbox, 'add'>;
  readonly counts: Pick<BudgetCounts, 'spent' | 'told'>;
  /** Epoch ms. */
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
}

/** Tells webhooks of budgets, once a period each: that one warns, and that one was exceeded. */
export class BudgetTeller {
  readonly #parts: BudgetTellerParts;

  constructor(parts: BudgetTellerParts) {
    this.#parts = parts;
  }

  /** Nobody waits for it. What fails is told by a sweeper. */
  tell(budget: ReadyBudget, counted: CountedBudget, what: 'warning' | 'exceeded'): void {
    this.#tell(budget, counted, what).catch(this.#parts.onFault);
  }

  /** Tells what nobody has been told yet. */
  async catchUp(budget: ReadyBudget, counted: CountedBudget): Promise<void> {
    const spent = await this.#parts.counts.spent(budget.row.tenantId, counted);
    if (spent?.untold.warning) await this.#tell(budget, counted, 'warning');
    if (spent?.untold.exceeded) await this.#tell(budget, counted, 'exceeded');
  }

  async #tell(budget: ReadyBudget, counted: CountedBudget, what: 'warning' | 'exceeded'): Promise<void> {
    const { database, outbox, counts, now } = this.#parts;
    const { tenantId } = budget.row;
    const spent = await counts.spent(tenantId, counted);
    const used = {
      used_micros: (spent?.micros ?? 0) + (spent?.reservedMicros ?? 0),
      used_calls: (spent?.calls ?? 0) + (spent?.reservedCalls ?? 0),
    };
    await database.$transaction(async (transaction) => outbox.add(transaction, [eventOf(budget, counted, { what, at: now(), used })]));
    await counts.told(tenantId, counted, what);
  }
}

/** It has one key, so two gateways that tell it store it once. */
function eventOf(
  { row }: ReadyBudget,
  { counter, start, end }: CountedBudget,
  { what, at, used }: { readonly what: 'warning' | 'exceeded'; readonly at: number; readonly used: object },
): OutboxEvent {
  return {
    tenantId: row.tenantId,
    type: `budget.${what}`,
    key: `${counter} ${start}`,
    at,
    data: {
      budget: row.name,
      tenant_id: row.tenantId,
      user_id: row.userId,
      key: row.key,
      tool_name: row.tool,
      period: row.period,
      since: new Date(start).toISOString(),
      resets_at: new Date(end).toISOString(),
      limit_micros: row.limitMicros === null ? null : Number(row.limitMicros),
      limit_calls: row.limitCalls === null ? null : Number(row.limitCalls),
      warn_at: row.warnAt,
      ...used,
    },
    links: { self: `/budgets/${row.name}` },
  };
}
