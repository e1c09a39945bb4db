import { domains, type Domain } from '../domains.js';

const servedName = /^own-[0-9a-f]{16}-[a-z][a-z0-9-]{0,18}$/;
/**
 * Of every domain of a tenant's workers. It is one tenant's alone. What its tools do is not known, so the lock tolerates a pause of Redis;
 * a worker that is lost is noticed by its connection, long before. Each gateway runs as many attempts as its connected workers take.
 */
const servedRow = { concurrency: 16, lockMs: 15_000, stalledCheckMs: 5_000, maxOpen: 5_000, tenantShare: 1 } as const;

/** The row of a domain, ours or that of a tenant's workers; undefined for any other name. */
export function domainNamed(name: string): Domain | undefined {
  if (servedName.test(name)) return { name, ...servedRow };
  return Object.values(domains).find((domain) => domain.name === name);
}
