import { approvalOf, type Approval, type Caller, type ToolContract } from '#lib/contracts';
import { RecentMap } from '#lib/platform';
import { conditionOf, type Looked } from './expression.js';

/** Conditions that are kept parsed: those of the product's tools and of busy tenants. */
const keptConditions = 1_000;

interface ApprovalRulesParts {
  /** Told of a condition that could not be worked out. */
  readonly onFault: (tool: string, error: unknown) => void;
}

/** Which calls need the word of a person before they run. */
export class ApprovalRules {
  readonly #parts: ApprovalRulesParts;
  readonly #conditions = new RecentMap<string, (looked: Looked) => boolean>(keptConditions);

  constructor(parts: ApprovalRulesParts) {
    this.#parts = parts;
  }

  /** The rule for this call; null where it needs no approval. A call for which that cannot be said needs one. */
  for(contract: ToolContract, input: Readonly<Record<string, unknown>>, caller: Caller): Approval | null {
    if (contract.approval === undefined) return null;
    const approval = approvalOf(contract);
    if (!approval || approval.when === null) return approval;
    try {
      return this.#condition(approval.when)(lookedAt(contract, input, caller)) ? approval : null;
    } catch (error) {
      this.#parts.onFault(contract.name, error);
      return approval;
    }
  }

  #condition(text: string): (looked: Looked) => boolean {
    const known = this.#conditions.get(text);
    if (known) return known;
    const condition = conditionOf(text);
    this.#conditions.set(text, condition);
    return condition;
  }
}

function lookedAt(contract: ToolContract, args: Readonly<Record<string, unknown>>, caller: Caller): Looked {
  const { tenantId, userId, tier, scopes, credentialId } = caller;
  const { name, domain, effect, version, served } = contract;
  return {
    args,
    caller: { tenant: tenantId, user: userId, tier, scopes: [...scopes], key: credentialId },
    tool: { name, domain: served?.domain ?? domain, effect, version, served: served !== undefined },
  };
}
