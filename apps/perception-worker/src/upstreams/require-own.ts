import type { ApprovedServer, Caller } from '#lib/contracts';

/** Whoever made the call has found the server among those of the caller's tenant; here it is certain. Throws TypeError. */
export function requireOwn({ tenant, server }: Pick<ApprovedServer, 'tenant' | 'server'>, { tenantId }: Pick<Caller, 'tenantId'>): void {
  if (tenant !== null && tenant !== tenantId) throw new TypeError(`The server ${server} is another tenant's`);
}
