import { Injectable } from '@nestjs/common';
import { onceASecond, type Logger } from '#lib/platform';
import { BudgetCounts, type CountedBudget } from '#lib/transport';
import type { OutboxEvent } from '../../outbox/outbox-event.js';
import { Outbox } from '../../outbox/outbox.js';
import { Stores } from '../../stores.js';
import type { ReadyBudget } from './budget-directory.js';

/** Tells webhooks of budgets, once a period each: that one warns, and that one was exceeded. */
@Injectable()
export class BudgetTeller {
  readonly #onFault: (error: unknown) => void;

  constructor(
    private readonly stores: Stores,
    private readonly outbox: Outbox,
    private readonly counts: BudgetCounts,
  ) {
    this.#onFault = reportingBudgetEvents(stores.log);
  }

  /** Nobody waits for it. What fails is told by a sweeper. */
  tell(budget: ReadyBudget, counted: CountedBudget, what: 'warning' | 'exceeded'): void {
    this.#tell(budget, counted, what).catch(this.#onFault);
  }

  /** Tells what nobody has been told yet. */
  async catchUp(budget: ReadyBudget, counted: CountedBudget): Promise<void> {
    const spent = await this.counts.spent(budget.row.tenantId, counted);
    if (spent?.untold.warning) await this.#tell(budget, counted, 'warning');
    if (spent?.untold.exceeded) await this.#tell(budget, counted, 'exceeded');
  }

  async #tell(budget: ReadyBudget, counted: CountedBudget, what: 'warning' | 'exceeded'): Promise<void> {
    const { tenantId } = budget.row;
    const spent = await this.counts.spent(tenantId, counted);
    const used = {
      used_micros: (spent?.micros ?? 0) + (spent?.reservedMicros ?? 0),
      used_calls: (spent?.calls ?? 0) + (spent?.reservedCalls ?? 0),
    };
    const event = eventOf(budget, counted, { what, at: this.stores.clock.now(), used });
    await this.stores.database.$transaction(async (transaction) => this.outbox.add(transaction, [event]));
    await this.counts.told(tenantId, counted, what);
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

export function reportingBudgetEvents(log: Pick<Logger, 'warn'>): (error: unknown) => void {
  return onceASecond((error: unknown) =>
    log.warn({ event: 'budget-events-fault', err: error }, 'what became of budgets could not be told or settled; trying again'),
  );
}
