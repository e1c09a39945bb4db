import { Inject, Injectable } from '@nestjs/common';
import { approvalOf, Refusal, type Approval, type Caller, type Catalog, type ToolContract } from '#lib/contracts';
import { onceASecond, RecentMap, type Logger } from '#lib/platform';
import { callCondition, lookedCall, type LookedCall, type PoliciedCall, type Spent } from './call-conditions.js';
import { ExpressionError, type Condition } from '../tenants/expression.js';
import { expressionFaults } from './expression-faults.js';
import { PolicyDirectory, type ReadyPolicy } from './policy-directory.js';
import { PolicyStore, type PolicyRow } from './policy-store.js';
import { Stores } from '../stores.js';
import { nothingSpent, type TenantSpent } from './tenant-spent.js';
import { withinTime } from '../tenants/within-time.js';

const defaultMs = 86_400_000;
/** Conditions of contracts that are kept parsed: those of the product's tools and of busy tenants. */
const keptConditions = 1_000;

/** What the policies of a tenant and the contract of a tool say of a call before it runs. */
@Injectable()
export class CallRules {
  readonly #conditions = new RecentMap<string, Condition<LookedCall>>(keptConditions);
  readonly #report = onceASecond((fault: { readonly tool: string; readonly error: unknown }) =>
    this.stores.log.warn(
      { event: 'approval-rule-fault', tool_name: fault.tool, err: fault.error },
      'whether a call needs an approval could not be worked out: it is asked for',
    ),
  );

  /** Throws where a contract has a wrong expression: the start of a gateway ends here. */
  constructor(
    @Inject(Stores) private readonly stores: { readonly catalog: Pick<Catalog, 'tools'>; readonly log: Pick<Logger, 'warn'> },
    @Inject(PolicyDirectory) private readonly policies: Pick<PolicyDirectory, 'of'>,
    @Inject(PolicyStore) private readonly store: { readonly spent: Pick<TenantSpent, 'of'> },
  ) {
    const wrong = stores.catalog.tools.flatMap((contract) => expressionFaults(contract).map((fault) => `${contract.name}: ${fault}`));
    if (wrong.length > 0) throw new TypeError(`Contracts have expressions that cannot be worked out: ${wrong.join('; ')}`);
  }

  /** What the tenant has spent; null where none of its policies looks at it. @param now epoch ms. Rejects with NETWORK_ERROR. */
  spentFor({ tenantId }: Caller, now: number): Promise<Spent> | null {
    return this.policies.of(tenantId).some(({ seesSpent }) => seesSpent) ? this.store.spent.of(tenantId, now) : null;
  }

  /** Whether anything has to be worked out before a call: a policy of the tenant, or what the contract says of approvals. Throws NETWORK_ERROR. */
  concern(contract: ToolContract, { tenantId, byCode }: Pick<Caller, 'tenantId' | 'byCode'>): boolean {
    return contract.approval !== undefined || (byCode ?? false) || this.policies.of(tenantId).length > 0;
  }

  /**
   * What a person has to be asked; null where nobody is. A call for which the contract cannot say so needs an approval. Throws
   * PERMISSION_DENIED with the native code POLICY where the first policy that holds denies, or one before it cannot be worked out.
   * @param input valid parameters
   * @param now epoch ms
   * @param spent as `spentFor` gives it
   */
  approvalFor(
    contract: ToolContract,
    input: Readonly<Record<string, unknown>>,
    { caller, now, spent = null }: { readonly caller: Caller; readonly now: number; readonly spent?: Spent | null },
  ): Approval | null {
    if (!this.concern(contract, caller)) return null;
    const policies = this.policies.of(caller.tenantId);
    const looked = lookedCall(contract, input, { caller, now: new Date(now) });
    const asks = firstThatHolds(policies, { ...looked, spent: spent ?? nothingSpent });
    if (asks?.then === 'deny') throw denied(asks.name, asks.message ?? `The policy '${asks.name}' of your tenant does not allow this call`);
    const own = this.#ofContract(contract, looked) ?? ofCode(contract, caller);
    return asks ? asked(asks, contract, own) : own;
  }

  #ofContract(contract: ToolContract, looked: LookedCall): Approval | null {
    const approval = approvalOf(contract);
    if (!approval || approval.when === null) return approval;
    const { when } = approval;
    try {
      return withinTime(looked.args, () => this.#condition(when).holds(looked)) ? approval : null;
    } catch (error) {
      this.#report({ tool: contract.name, error });
      return approval;
    }
  }

  #condition(text: string): Condition<LookedCall> {
    const known = this.#conditions.get(text);
    if (known) return known;
    const condition = callCondition(text);
    this.#conditions.set(text, condition);
    return condition;
  }
}

function firstThatHolds(policies: readonly ReadyPolicy[], looked: PoliciedCall): PolicyRow | null {
  if (policies.length === 0) return null;
  try {
    return withinTime(looked.args, () => policies.find((policy) => holds(policy, looked))?.row ?? null);
  } catch (error) {
    if (error instanceof ExpressionError) throw denied(null, `The policies of your tenant could not be worked out: this ${error.message}`);
    throw error;
  }
}

function holds({ row, condition }: ReadyPolicy, looked: PoliciedCall): boolean {
  try {
    return condition.holds(looked);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw denied(
      row.name,
      `The policy '${row.name}' of your tenant could not be worked out for this call, so it is denied: ${error.message}`,
    );
  }
}

/** Who has code run does not see what it writes: so a person looks at each call of it, and may be the one who has it run. */
function ofCode({ effect, title }: ToolContract, { byCode }: Caller): Approval | null {
  if (!byCode || effect === 'read') return null;
  return { when: null, message: `Code of a model calls ${title}. May it, with these parameters?`, expiresMs: defaultMs, self: true };
}

/** The policy asks. Who made the call may approve it only if the contract does not say otherwise. */
function asked({ name, message, expiresMs, self }: PolicyRow, contract: ToolContract, own: Approval | null): Approval {
  return {
    when: null,
    message: message ?? `May ${contract.title} be called with these parameters? The policy '${name}' asks.`,
    expiresMs: expiresMs === null ? defaultMs : Number(expiresMs),
    self: self && own?.self !== false,
  };
}

function denied(policy: string | null, message: string): Refusal {
  return new Refusal('PERMISSION_DENIED', message, { native_code: 'POLICY', ...(policy !== null && { extra: { policy } }) });
}
