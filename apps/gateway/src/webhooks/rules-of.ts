import type { AddressRules } from '#lib/platform';
import type { GatewaySettings } from '../config.js';

/** Any public host. In development receivers run on the same machine. */
export function rulesOf({ WEBHOOK_PRIVATE, NODE_ENV }: Pick<GatewaySettings, 'WEBHOOK_PRIVATE' | 'NODE_ENV'>): AddressRules {
  return { allowedHosts: [], allowPrivate: WEBHOOK_PRIVATE === undefined ? NODE_ENV !== 'production' : WEBHOOK_PRIVATE === 'allow' };
}
