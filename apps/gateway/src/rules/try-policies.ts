import type { PolicyVerdict } from '#lib/contracts';
import type { PoliciedCall } from './call-conditions.js';
import { ExpressionError, type Condition } from '../tenants/expression.js';
import { withinTime } from '../tenants/within-time.js';

export interface TriedRule {
  /** Null for one that is not stored. */
  readonly name: string | null;
  readonly then: 'deny' | 'ask';
  readonly message: string | null;
  readonly condition: Condition<PoliciedCall>;
}

type Tried = PolicyVerdict['policies'][number];

/** What each says of a call, and which one counts: the first that holds, or cannot be worked out, which denies. */
export function tryPolicies(rules: readonly TriedRule[], looked: PoliciedCall): PolicyVerdict {
  const policies = rules.map((rule) => tried(rule, looked));
  const place = policies.findIndex(({ holds }) => holds !== false);
  const [first, rule] = [policies[place], rules[place]];
  if (!first || !rule) return { outcome: 'allow', policy: null, message: null, policies };
  return {
    outcome: first.holds === null ? 'deny' : first.then,
    policy: first.name,
    message: first.error === null ? rule.message : `It could not be worked out, so the call is denied: ${first.error}`,
    policies,
  };
}

function tried({ name, then, condition }: TriedRule, looked: PoliciedCall): Tried {
  const startedAt = performance.now();
  const { holds, error } = resultOf(() => withinTime(looked.args, () => condition.holds(looked)));
  const costUs = Math.round((performance.now() - startedAt) * 10_000) / 10;
  const explained = resultOf(() => withinTime(looked.args, () => condition.explain(looked)));
  return {
    name,
    then,
    holds,
    error,
    because: (explained.holds ?? []).map(({ text, value }) => ({ part: text, value })),
    cost_us: costUs,
  };
}

function resultOf<Result>(work: () => Result): { readonly holds: Result | null; readonly error: string | null } {
  try {
    return { holds: work(), error: null };
  } catch (error) {
    if (error instanceof ExpressionError) return { holds: null, error: error.message };
    throw error;
  }
}
