import { Injectable } from '@nestjs/common';
import type { BudgetPeriod, Caller, ToolContract } from '#lib/contracts';
import type { BoundingBudget } from '#lib/transport';
import { TenantDirectory } from '../../tenants/tenant-directory.js';
import { periodAt, type Period } from '#lib/transport';
import { Stores } from '../../stores.js';
import { BudgetStore, type BudgetRow } from './budget-store.js';

/** A budget, and which calls it bounds. */
export class ReadyBudget {
  readonly row: BudgetRow;
  #latest: Period = { start: 0, end: 0 };

  constructor(row: BudgetRow) {
    this.row = row;
  }

  /** Whether a call counts. One whose contract says nothing of costs may report some. */
  bounds({ userId, credentialId }: Pick<Caller, 'userId' | 'credentialId'>, { name }: Pick<ToolContract, 'name'>): boolean {
    const { row } = this;
    return (
      (row.userId === null || row.userId === userId) &&
      (row.key === null || row.key === credentialId) &&
      (row.tool === null || row.tool === name)
    );
  }

  get period(): BudgetPeriod {
    return this.row.period === 'month' ? 'month' : 'day';
  }

  /** In the period of a moment. @param now epoch ms */
  at(now: number): BoundingBudget {
    if (now < this.#latest.start || now >= this.#latest.end) this.#latest = periodAt(now, this.period, this.row.timeZone);
    const { counter, limitMicros, limitCalls, warnAt } = this.row;
    return {
      ...this.#latest,
      counter: String(counter),
      limitMicros: limitMicros === null ? null : Number(limitMicros),
      limitCalls: limitCalls === null ? null : Number(limitCalls),
      warnAt,
    };
  }
}

/** The budgets of all tenants, by name. */
@Injectable()
export class BudgetDirectory extends TenantDirectory<BudgetRow, ReadyBudget> {
  constructor(stores: Stores, store: BudgetStore) {
    super(stores, { store, notice: 'budget', what: 'budgets', event: 'budgets-fault', ready: (row) => new ReadyBudget(row) });
  }
}
