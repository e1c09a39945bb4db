import { outcomeOf, principal, type Caller, type RunFilters } from '#lib/contracts';
import { listedState, type ListedRun, type RunList } from '#lib/transport';
import { requireScopeOf } from '../callers/tenant-rights.js';

/** The runs that somebody asks for: those of the scope that meet all filters. */
export class RunSelection {
  readonly #caller: Caller;
  readonly #filters: RunFilters;
  readonly #who: string;

  /** Throws PERMISSION_DENIED for runs of others without the scope for them. */
  constructor(caller: Caller, filters: RunFilters) {
    requireScopeOf(caller, filters.scope, 'Runs');
    this.#caller = caller;
    this.#filters = filters;
    this.#who = principal(caller);
  }

  has({ run, who }: ListedRun): boolean {
    const { tenant, state, outcome, tool, code, user } = this.#filters;
    return (
      this.#isInScope(run.tenant_id, who) &&
      (tenant === undefined || run.tenant_id === tenant) &&
      (state === undefined || run.state === state) &&
      (outcome === undefined || outcomeOf(run) === outcome) &&
      (tool === undefined || run.tool_name === tool) &&
      (code === undefined || run.error?.code === code || run.error?.native_code === code) &&
      (user === undefined || run.user_id === user)
    );
  }

  /** Lists that each have all of these runs. */
  get lists(): readonly [RunList, ...RunList[]] {
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

  get #widest(): RunList {
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

/** The name of an outcome in the lists. Answers have none: most runs are one. */
function listedOutcome(outcome: RunFilters['outcome']): ReturnType<typeof listedState> {
  return outcome === 'failed' || outcome === 'cancelled' || outcome === 'open' ? outcome : null;
}
