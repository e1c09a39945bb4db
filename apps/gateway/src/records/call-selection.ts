import { outcomeOf, principal, type Caller, type CallFilters } from '#lib/contracts';
import { listedState, type ListedCall, type CallList } from '#lib/transport';
import { requireScopeOf } from '../http/tenant-rights.js';

/** The calls that somebody asks for: those of the scope that meet all filters. */
export class CallSelection {
  readonly #caller: Caller;
  readonly #filters: CallFilters;
  readonly #who: string;

  /** Throws PERMISSION_DENIED for calls of others without the scope for them. */
  constructor(caller: Caller, filters: CallFilters) {
    requireScopeOf(caller, filters.scope, 'Calls');
    this.#caller = caller;
    this.#filters = filters;
    this.#who = principal(caller);
  }

  has({ call, who }: ListedCall): boolean {
    const { tenant, state, outcome, tool, code, user } = this.#filters;
    return (
      this.#isInScope(call.tenant_id, who) &&
      (tenant === undefined || call.tenant_id === tenant) &&
      (state === undefined || call.state === state) &&
      (outcome === undefined || outcomeOf(call) === outcome) &&
      (tool === undefined || call.tool_name === tool) &&
      (code === undefined || call.error?.code === code || call.error?.native_code === code) &&
      (user === undefined || call.user_id === user)
    );
  }

  /** Lists that each have all of these calls. */
  get lists(): readonly [CallList, ...CallList[]] {
    const { scope, tenant, state, outcome, tool, code } = this.#filters;
    const listed = (state && listedState(state)) ?? listedOutcome(outcome);
    const tenantId = scope === 'all' ? (tenant ?? null) : this.#caller.tenantId;
    return [
      this.#widest,
      ...(tool === undefined ? [] : ([['tool', tool, tenantId]] as const)),
      ...(code === undefined ? [] : ([['code', code, tenantId]] as const)),
      ...(listed ? ([['state', listed, tenantId]] as const) : []),
    ];
  }

  get #widest(): CallList {
    const { scope, tenant, user } = this.#filters;
    if (scope === 'mine') return ['who', this.#who];
    const tenantId = scope === 'all' ? tenant : this.#caller.tenantId;
    if (tenantId === undefined) return ['all'];
    return user === undefined ? ['tenant', tenantId] : ['who', principal({ tenantId, userId: user, credentialId: '' })];
  }

  #isInScope(tenantId: string, who: string): boolean {
    const { scope } = this.#filters;
    if (scope === 'mine') return who === this.#who;
    return scope === 'all' || tenantId === this.#caller.tenantId;
  }
}

/** The name of an outcome in the lists. Answers have none: most calls are one. */
function listedOutcome(outcome: CallFilters['outcome']): ReturnType<typeof listedState> {
  return outcome === 'failed' || outcome === 'cancelled' || outcome === 'open' ? outcome : null;
}
