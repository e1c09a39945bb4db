import { Client } from 'pg';
import { merchants, merchantSessions, returnOrigins } from '../scripts/provision/demo-data.js';

/** Accounts of many merchants: each has its own upstream answers, the good and the spoiled. */
export const fuzzedMerchants = Array.from({ length: 10 }, (_, index) => ({
  tenant_id: '',
  id: `m_w${index}`,
  user_id: 'user_001',
  stripe_account_id: `acct_w${index}`,
  country: 'US',
  business_type: 'company',
  display_name: `Shop ${index}`,
  version: 1,
  updated_at: '2026-11-01T08:00:00Z',
}));

const tables = { merchant: [...merchants, ...fuzzedMerchants], merchant_session: merchantSessions, return_origin: returnOrigins } as const;

/** Gives a tenant the merchants of the demo data, and those of the run. */
export async function addMerchants(databaseUrl: string, tenantId: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const [table, rows] of Object.entries(tables))
      await client.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
        JSON.stringify(rows.map((row) => ({ ...row, tenant_id: tenantId }))),
      ]);
  } finally {
    await client.end();
  }
}
