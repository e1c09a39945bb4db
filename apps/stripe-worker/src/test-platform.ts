// Merchants of a tenant of its own in the platform's tables. For tests.
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { PlatformReader } from './platform/platform-reader.js';

interface Merchant {
  readonly id: string;
  readonly userId?: string;
  readonly account?: string | null;
  readonly name?: string | null;
}

export class TestPlatform implements AsyncDisposable {
  readonly tenantId = `t-${randomBytes(5).toString('hex')}`;
  readonly reader: PlatformReader;
  readonly #pool: Pool;

  constructor(url: string, { role = 'invoq_platform_reader', statementTimeoutMs = 2_000 } = {}) {
    this.#pool = new Pool({ connectionString: url, max: 2 });
    this.reader = new PlatformReader({ url, poolSize: 2, role, statementTimeoutMs });
  }

  async sql(text: string, values: readonly unknown[] = []): Promise<void> {
    await this.#pool.query(text, [...values]);
  }

  async addMerchant({ id, userId = 'alice', account = null, name = null }: Merchant, tenantId = this.tenantId): Promise<void> {
    await this.sql(
      `INSERT INTO merchant (id, tenant_id, user_id, stripe_account_id, display_name, status_summary, email)
       VALUES ($1, $2, $3, $4, $5, '{"onboarding":"complete"}', 'private@personal.example')`,
      [id, tenantId, userId, account, name],
    );
  }

  async addSession(
    id: string,
    merchantId: string,
    { userId = 'alice', tenantId = this.tenantId, expiresAt = null as Date | null } = {},
  ): Promise<void> {
    await this.sql('INSERT INTO merchant_session (id, tenant_id, merchant_id, user_id, expires_at) VALUES ($1, $2, $3, $4, $5)', [
      id,
      tenantId,
      merchantId,
      userId,
      expiresAt,
    ]);
  }

  async addOrigin(origin: string, tenantId = this.tenantId): Promise<void> {
    await this.sql('INSERT INTO return_origin (tenant_id, origin) VALUES ($1, $2)', [tenantId, origin]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const table of ['merchant_session', 'merchant', 'return_origin'])
      await this.sql(`DELETE FROM ${table} WHERE tenant_id LIKE $1`, [`${this.tenantId}%`]);
    await this.reader.close();
    await this.#pool.end();
  }
}
