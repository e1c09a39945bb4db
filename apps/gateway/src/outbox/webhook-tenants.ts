import { TenantDirectory } from '../rules/tenant-directory.js';

/** A webhook that is not disabled. */
export interface WebhookPlace {
  readonly id: string;
  readonly tenantId: string;
  readonly url: string;
}

interface ReadyPlace {
  readonly id: string;
  readonly origin: string;
}

/** Which tenants have webhooks, and where, in every gateway alike: a call of another tenant costs a look into a map. */
export class WebhookTenants extends TenantDirectory<WebhookPlace, ReadyPlace> {
  /** Throws NETWORK_ERROR. */
  has(tenantId: string): boolean {
    return this.of(tenantId).length > 0;
  }

  /** The id of a webhook whose address has the same origin; undefined where there is none. Throws NETWORK_ERROR. */
  webhookAt(tenantId: string, url: string): string | undefined {
    const { origin, username, password } = new URL(url);
    if (username !== '' || password !== '') return undefined;
    return this.of(tenantId).find((place) => place.origin === origin)?.id;
  }
}

export function readyPlace({ id, url }: WebhookPlace): ReadyPlace {
  return { id, origin: new URL(url).origin };
}
