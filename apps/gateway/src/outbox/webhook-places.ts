import { Injectable } from '@nestjs/common';
import type { TenantMark, TenantRows } from '../tenants/tenant-directory.js';
import { Stores } from '../stores.js';

/** A webhook that is not disabled. */
export interface WebhookPlace {
  readonly id: string;
  readonly tenantId: string;
  readonly url: string;
}

/** Where the webhooks of tenants are. Rejects when Postgres is away. */
@Injectable()
export class WebhookPlaces implements TenantRows<WebhookPlace> {
  constructor(private readonly stores: Stores) {}

  async ofTenants(tenants: readonly string[]): Promise<readonly WebhookPlace[]> {
    if (tenants.length === 0) return [];
    return this.stores.database.$queryRaw`
      SELECT id, tenant_id AS "tenantId", url FROM webhook
      WHERE namespace = ${this.stores.settings.INVOQ_NAMESPACE} AND enabled AND tenant_id = ANY(${tenants})`;
  }

  async marks(): Promise<readonly TenantMark[]> {
    return this.stores.database.$queryRaw`
      SELECT tenant_id AS "tenantId", count(*)::text || '/' || max(updated_at)::text AS mark FROM webhook
      WHERE namespace = ${this.stores.settings.INVOQ_NAMESPACE} AND enabled GROUP BY tenant_id`;
  }
}
