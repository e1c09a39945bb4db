import type { Domain } from '#lib/contracts';

/** Of `maxOpen`: what is kept for tenants with few open calls, and how many are few. */
const reservedShare = 0.1;
const lightShare = 0.01;

/** How many calls may be open. Where one tenant may have all of them, nothing is kept for others. */
export function openBounds({ maxOpen, tenantShare }: Domain) {
  return {
    maxOpen,
    maxOfTenant: Math.max(1, Math.floor(maxOpen * tenantShare)),
    reserve: tenantShare < 1 ? Math.floor(maxOpen * reservedShare) : 0,
    light: Math.max(1, Math.floor(maxOpen * lightShare)),
  };
}
