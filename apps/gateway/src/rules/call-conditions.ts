import type { Caller, ToolContract } from '#lib/contracts';
import { ExpressionError, Expressions, type Condition, type Key } from '../tenants/expression.js';

/** What a rule about calls may look at. */
export interface LookedCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: {
    readonly tenant: string;
    readonly user: string | null;
    readonly tier: string;
    readonly scopes: readonly string[];
    readonly key: string;
  };
  readonly tool: {
    readonly name: string;
    readonly domain: string;
    readonly effect: string;
    readonly version: string;
    readonly served: boolean;
  };
  /** When the call came. */
  readonly now: Date;
}

/** What calls of a tenant have cost, in millionths of a US dollar: of this day and this month, in UTC. */
export interface Spent {
  readonly day_micros: bigint;
  readonly month_micros: bigint;
}

/** What a policy may look at. */
export interface PoliciedCall extends LookedCall {
  readonly spent: Spent;
}

const variables = {
  args: 'map',
  caller: { schema: { tenant: 'string', user: 'dyn', tier: 'string', scopes: 'list<string>', key: 'string' } },
  tool: { schema: { name: 'string', domain: 'string', effect: 'string', version: 'string', served: 'bool' } },
  now: 'google.protobuf.Timestamp',
};
const expressions = new Expressions<LookedCall>(variables);
const policies = new Expressions<PoliciedCall>({ ...variables, spent: { schema: { day_micros: 'int', month_micros: 'int' } } });

/** A condition over `args`, `caller`, `tool` and `now`. Throws ExpressionError. */
export function callCondition(text: string): Condition<LookedCall> {
  return expressions.condition(text);
}

/** What a call has in common with others, over the same. Throws ExpressionError. */
export function callKey(text: string): Key<LookedCall> {
  return expressions.key(text);
}

/** A condition of a policy: over `spent` as well. Throws ExpressionError. */
export function policyCondition(text: string): Condition<PoliciedCall> {
  return policies.condition(text);
}

/** Whether a condition of a policy looks at what was spent: without that it is none. */
export function seesSpent(text: string): boolean {
  return policyFault(text) === null && conditionFault(text) !== null;
}

/** What is wrong with a condition of a policy; null where nothing is. */
export function policyFault(text: string): string | null {
  return faultOf(() => policyCondition(text));
}

/** What is wrong with a condition; null where nothing is. */
export function conditionFault(text: string): string | null {
  return faultOf(() => callCondition(text));
}

/** What is wrong with a key; null where nothing is. */
export function keyFault(text: string): string | null {
  return faultOf(() => callKey(text));
}

function faultOf(parse: () => unknown): string | null {
  try {
    parse();
    return null;
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

/** What rules look at of a call. @param args valid parameters */
export function lookedCall(
  contract: ToolContract,
  args: Readonly<Record<string, unknown>>,
  { caller, now }: { readonly caller: Caller; readonly now: Date },
): LookedCall {
  const { tenantId, userId, tier, scopes, credentialId } = caller;
  const { name, domain, effect, version, served } = contract;
  return {
    args,
    caller: { tenant: tenantId, user: userId, tier, scopes, key: credentialId },
    tool: { name, domain: served?.domain ?? domain, effect, version, served: served !== undefined },
    now,
  };
}
