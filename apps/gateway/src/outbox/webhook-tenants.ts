import { Inject, Injectable } from '@nestjs/common';
import { TenantDirectory, type DirectoryStores, type TenantRows } from '../tenants/tenant-directory.js';
import { Stores } from '../stores.js';
import { WebhookPlaces, type WebhookPlace } from './webhook-places.js';

interface ReadyPlace {
  readonly id: string;
  readonly origin: string;
}

/** Which tenants have webhooks, and where, in every gateway alike: a call of another tenant costs a look into a map. */
@Injectable()
export class WebhookTenants extends TenantDirectory<WebhookPlace, ReadyPlace> {
  constructor(@Inject(Stores) stores: DirectoryStores, @Inject(WebhookPlaces) store: TenantRows<WebhookPlace>) {
    super(stores, {
      store,
      notice: 'webhook',
      what: 'webhooks',
      event: 'webhooks-fault',
      ready: ({ id, url }) => ({ id, origin: new URL(url).origin }),
    });
  }

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
