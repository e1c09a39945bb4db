// What a new key may be given: nothing that the credential that makes it has not got itself.
import { hasScope, Refusal, tiers, type Caller, type Scope, type Tier } from '#lib/contracts';
import { requireOperator, requireTenant } from '../http/tenant-rights.js';

export interface KeyGrant {
  readonly tenantId: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  /** Domains that its workers may serve; any when there is none. */
  readonly serves: readonly string[];
}

/**
 * Throws PERMISSION_DENIED that names the field and what the maker lacks. Who may approve tools, as every maker of keys may, may also give
 * that right to a worker's key.
 * @param makerServes the domains that workers of the maker's own key may serve; any when there is none
 */
export function requireGrantable(maker: Caller, grant: KeyGrant, makerServes: readonly string[]): void {
  requireMaker(maker);
  requireTenant(maker, grant.tenantId, "Parameter 'tenant_id'");
  const lacking = grant.scopes.findIndex((scope) => !hasScope(maker, scope));
  if (lacking >= 0) {
    const scope = grant.scopes[lacking];
    throw refused(`scopes.${lacking}`, `must be a scope that you have yourself, and you have not ${scope}`, { required_scope: scope });
  }
  if (tiers.indexOf(grant.tier) > tiers.indexOf(maker.tier)) throw refused('tier', `must not be above your own, which is ${maker.tier}`);
  if (!serves(grant) || makerServes.length === 0) return;
  if (grant.serves.length === 0 || grant.serves.some((domain) => !makerServes.includes(domain)))
    throw refused('serves', `must be of the domains that your own key serves: ${makerServes.join(', ')}`);
}

/** Who makes no keys and ends none, whatever its scopes. Throws PERMISSION_DENIED. */
function requireMaker({ tools, toolset, turnId }: Caller): void {
  if (tools || toolset !== undefined) throw new Refusal('PERMISSION_DENIED', 'A key for some tools alone makes no keys and revokes none');
  if (turnId !== undefined) throw new Refusal('PERMISSION_DENIED', 'A chat turn makes no keys and revokes none');
}

/** Throws PERMISSION_DENIED for a key that has more than its administrator: only an operator ends an operator's. */
export function requireRevocable(
  caller: Caller,
  { tenantId, scopes }: { readonly tenantId: string; readonly scopes: readonly string[] },
): void {
  requireMaker(caller);
  requireTenant(caller, tenantId, 'The tenant of the key');
  const isOperators = scopes.includes('*') || scopes.includes('admin');
  if (isOperators) requireOperator(caller, "Revoking an operator's key");
}

function serves({ scopes }: KeyGrant): boolean {
  return scopes.includes('tools:serve') || scopes.includes('*');
}

function refused(path: string, message: string, extra?: Readonly<Record<string, unknown>>): Refusal {
  return new Refusal('PERMISSION_DENIED', `Parameter '${path}' ${message}`, { details: [{ path, message }], ...(extra && { extra }) });
}
