import { principal, type Caller, type RunFilters } from '#lib/contracts';
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
    const { state, tool, code, user } = this.#filters;
    return (
      this.#isInScope(run.tenant_id, who) &&
      (state === undefined || run.state === state) &&
      (tool === undefined || run.tool_name === tool) &&
      (code === undefined || run.error?.code === code || run.error?.native_code === code) &&
      (user === undefined || run.user_id === user)
    );
  }

  /** Lists that each have all of these runs. */
  get lists(): readonly [RunList, ...RunList[]] {
    const { scope, state, tool, code } = this.#filters;
    const listed = state && listedState(state);
    const tenantId = scope === 'all' ? null : this.#caller.tenantId;
    return [
      this.#widest,
      ...(tool === undefined ? [] : ([['tool', tool, tenantId]] as const)),
      ...(code === undefined ? [] : ([['code', code, tenantId]] as const)),
      ...(listed ? ([['state', listed, tenantId]] as const) : []),
    ];
  }

  get #widest(): RunList {
    const { scope, user } = this.#filters;
    const { tenantId } = this.#caller;
    if (scope === 'mine') return ['who', this.#who];
    if (scope === 'all') return ['all'];
    return user === undefined ? ['tenant', tenantId] : ['who', principal({ tenantId, userId: user, credentialId: '' })];
  }

  #isInScope(tenantId: string, who: string): boolean {
    const { scope } = this.#filters;
    if (scope === 'mine') return who === this.#who;
    return scope === 'all' || tenantId === this.#caller.tenantId;
  }
}
