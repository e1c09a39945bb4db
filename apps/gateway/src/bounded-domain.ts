import { domainNamed, type Domain } from '#lib/contracts';
import type { GatewaySettings } from './config.js';

/** How much open work a domain may have. */
export type BoundSettings = Pick<GatewaySettings, 'MAX_OPEN' | 'TENANT_SHARE'>;

/** A domain with the bounds that are set for it. Throws TypeError for an unknown name. */
export function boundedDomain(name: string, { MAX_OPEN, TENANT_SHARE }: BoundSettings): Domain {
  const domain = domainNamed(name);
  if (!domain) throw new TypeError(`No domain ${name}`);
  const setName = name.startsWith('own-') ? 'own' : name;
  const setIn = (setting: BoundSettings['MAX_OPEN']): number | undefined => setting.find(([of]) => of === setName)?.[1];
  return { ...domain, maxOpen: setIn(MAX_OPEN) ?? domain.maxOpen, tenantShare: setIn(TENANT_SHARE) ?? domain.tenantShare };
}
