import { Inject, Injectable } from '@nestjs/common';
import { chatTurn, Refusal, type Caller, type ToolContract } from '#lib/contracts';
import { BudgetCounts, type BoundingBudget, type HistoryCall } from '#lib/transport';
import { BudgetDirectory, type ReadyBudget } from './budget-directory.js';
import { BudgetStore } from './budget-store.js';
import { BudgetTeller } from './budget-teller.js';

/** A call that asks for room. */
export interface SpendingCall {
  readonly jobId: string;
  readonly contract: ToolContract;
  readonly caller: Caller;
  /** When it came, epoch ms. */
  readonly now: number;
}

/** Room in every budget that bounds a call, or why there is none. */
export type Room =
  | {
      readonly kind: 'held';
      /** For the caller: budgets that this call brings to where they warn. */
      readonly warnings: readonly string[];
      /** Tells webhooks the same, once the call is accepted. */
      readonly tell: () => void;
    }
  | { readonly kind: 'full'; readonly refusal: Refusal };

/** What the budgets of a tenant say of a call before it is accepted. Whatever ends the call settles what was held for it. */
@Injectable()
export class CallBudgets {
  constructor(
    @Inject(BudgetDirectory) private readonly directory: Pick<BudgetDirectory, 'of'>,
    @Inject(BudgetStore) private readonly store: Pick<BudgetStore, 'spentBefore'>,
    private readonly counts: BudgetCounts,
    @Inject(BudgetTeller) private readonly teller: Pick<BudgetTeller, 'tell'>,
  ) {}

  /** Holds room in all of them, or in none. @returns null where no budget bounds the call: then nothing is asked. Throws NETWORK_ERROR. */
  async reserve(call: SpendingCall): Promise<Room | null> {
    const { caller, contract, now, jobId } = call;
    const bounding = this.directory.of(caller.tenantId).filter((budget) => budget.bounds(caller, contract));
    if (bounding.length === 0) return null;
    const counted = bounding.map((budget) => budget.at(now));
    const micros = contract.cost?.micros ?? null;
    // Each counter is filled at most once.
    for (let filled = 0; filled <= bounding.length; filled++) {
      const reservation = await this.counts.reserve(caller.tenantId, { jobId, tool: contract.name, micros, now }, counted);
      const at = (place: number) => pairAt(bounding, counted, place);
      if (reservation.kind === 'unknown') await this.fill(...at(reservation.place));
      else if (reservation.kind === 'full') {
        const [budget, period] = at(reservation.place);
        if (reservation.isFirst) this.teller.tell(budget, period, 'exceeded');
        return {
          kind: 'full',
          refusal: exceeded(budget, period, { ...reservation, cost: micros ?? 0, isChat: contract.name === chatTurn.name, now }),
        };
      } else {
        const warned = reservation.warns.map(at);
        const tell = () => warned.forEach((pair) => this.teller.tell(...pair, 'warning'));
        return { kind: 'held', warnings: warned.map((pair) => warning(...pair)), tell };
      }
    }
    throw new Refusal('NETWORK_ERROR', 'The budgets of your tenant cannot be counted at the moment', { retry_after_ms: 1_000 });
  }

  /** Gives back what was held for a call that was not accepted. */
  async release({ jobId, caller }: Pick<SpendingCall, 'jobId' | 'caller'>): Promise<void> {
    await this.counts.settle(caller.tenantId, jobId, { ran: false, micros: 0 });
  }

  /** Lets each budget that bounds some work begin to count, before the history has the work: what is counted afterwards is not in it then. */
  async prepare(work: HistoryCall): Promise<void> {
    for (const [budget, period] of this.#bounding(work))
      if (!(await this.counts.spent(work.tenant_id, period))) await this.fill(budget, period);
  }

  /** Counts work that no caller asked for, for which nothing was held. Once more changes nothing. */
  async count(work: HistoryCall): Promise<void> {
    const periods = this.#bounding(work).map(([, period]) => period);
    if (periods.length === 0) return;
    await this.counts.count(work.tenant_id, { jobId: work.job_id, micros: work.cost_micros }, periods);
  }

  #bounding({ tenant_id: tenant, user_id: userId, credential_id: credentialId, tool_name: name, created_at: at }: HistoryCall) {
    return this.directory
      .of(tenant)
      .filter((budget) => budget.bounds({ userId, credentialId }, { name }))
      .map((budget): [ReadyBudget, BoundingBudget] => [budget, budget.at(at)]);
  }

  /** Begins to count with what the history has. Throws NETWORK_ERROR. */
  async fill({ row }: ReadyBudget, period: BoundingBudget): Promise<void> {
    const spent = await this.store.spentBefore(row, period).catch((cause: unknown) => {
      const refusal = new Refusal('NETWORK_ERROR', 'What was spent of a budget cannot be read at the moment', { retry_after_ms: 1_000 });
      refusal.cause = cause;
      throw refusal;
    });
    await this.counts.fill(row.tenantId, period, spent);
  }
}

function pairAt(budgets: readonly ReadyBudget[], counted: readonly BoundingBudget[], place: number): [ReadyBudget, BoundingBudget] {
  const [budget, period] = [budgets[place], counted[place]];
  if (!budget || !period) throw new TypeError(`There is no budget at place ${place}`);
  return [budget, period];
}

interface Exceeded {
  /** Spent and held. */
  readonly micros: number;
  readonly calls: number;
  readonly cost: number;
  /** A person reads it then, and no model. */
  readonly isChat: boolean;
  readonly now: number;
}

function exceeded(
  { row }: ReadyBudget,
  { end, limitMicros, limitCalls }: BoundingBudget,
  { micros, calls, cost, isChat, now }: Exceeded,
): Refusal {
  const resets = new Date(end).toISOString();
  const isMoney = limitMicros !== null && (limitCalls === null || calls < limitCalls);
  const why = isMoney
    ? `${dollars(micros)} of ${dollars(limitMicros)} are spent or held for calls that run, and this call costs ${cost > 0 ? dollars(cost) : 'what its tool reports'}`
    : `${calls} of ${limitCalls} calls are made`;
  const until = isChat
    ? `It begins anew at ${resets}; until then the chat answers no message. An administrator of your tenant can raise it`
    : `The same call is refused until ${resets}: tell the user so, and do not try it again before.`;
  const message = `The budget '${row.name}' of your tenant is used up for this ${row.period}: ${why}. ${until}`;
  return new Refusal('QUOTA_EXCEEDED', message, {
    extra: {
      budget: row.name,
      ...(limitMicros !== null && { limit_micros: limitMicros, used_micros: micros }),
      ...(limitCalls !== null && { limit_calls: limitCalls, used_calls: calls }),
      resets_at: resets,
      resets_in_seconds: Math.max(1, Math.ceil((end - now) / 1_000)),
    },
  });
}

function warning({ row }: ReadyBudget, { end, limitMicros, limitCalls, warnAt }: BoundingBudget): string {
  const limits = [limitMicros !== null && dollars(limitMicros), limitCalls !== null && `${limitCalls} calls`].filter(
    (limit) => limit !== false,
  );
  return (
    `The budget '${row.name}' of your tenant has reached ${Math.round(warnAt * 100)} % of ${limits.join(' or ')} for this ${row.period}; ` +
    `it begins anew at ${new Date(end).toISOString()}`
  );
}

/** `1.25 US dollars` for 1,250,000. */
function dollars(micros: number): string {
  return `${(micros / 1_000_000).toFixed(6).replace(/0{1,4}$/, '')} US dollars`;
}
