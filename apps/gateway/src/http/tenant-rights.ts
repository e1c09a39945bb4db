// What the administrator of one tenant may ask for: its own tenant's. Those who operate Invoq have the scope `admin`, and every tenant.
import { hasScope, Refusal, type Caller, type ListScope } from '#lib/contracts';

/** Whether a caller administers a tenant. The route has asked for the scope; this is about whose it is. */
export function mayAdminister(caller: Caller, tenantId: string): boolean {
  return tenantId === caller.tenantId || hasScope(caller, 'admin');
}

/** Throws PERMISSION_DENIED for everybody but those who operate Invoq. @param what the beginning of a sentence */
export function requireOperator(caller: Caller, what: string): void {
  if (hasScope(caller, 'admin')) return;
  throw new Refusal('PERMISSION_DENIED', `${what} needs the scope admin`, { extra: { required_scope: 'admin' } });
}

/** Throws PERMISSION_DENIED that names the field. @param field such as `Parameter 'tenant_id'` */
export function requireTenant(caller: Caller, tenantId: string, field: string): void {
  if (!mayAdminister(caller, tenantId)) requireOperator(caller, `${field} must be your own tenant, ${caller.tenantId}: another`);
}

/** The tenant to which a list is narrowed: the one that is asked for; without one the caller's own, or with the scope `admin` all (undefined). */
export function tenantToList(caller: Caller, asked: unknown, field: string): string | undefined {
  if (typeof asked !== 'string') return hasScope(caller, 'admin') ? undefined : caller.tenantId;
  requireTenant(caller, asked, field);
  return asked;
}

/** Throws PERMISSION_DENIED for what others did: of the caller's tenant it needs `tenant:admin`, of all of them `admin`. @param what a plural */
export function requireScopeOf(caller: Caller, scope: ListScope, what: string): void {
  if (scope === 'mine') return;
  const needed = scope === 'tenant' ? 'tenant:admin' : 'admin';
  if (hasScope(caller, needed)) return;
  const message = `${what} of the scope ${scope} need a credential with the scope ${needed}`;
  throw new Refusal('PERMISSION_DENIED', message, { extra: { required_scope: needed } });
}
