// The system with the Stripe tools over a Stripe sandbox, and merchants of the system's own tenant.
import { Client } from 'pg';
import { givenStores, startSystem, type System, type SystemOptions } from '#lib/testing';
import { StripeSandbox } from '../../apps/stripe-sandbox/src/sandbox.js';
import { merchants, merchantSessions, returnOrigins } from '../../scripts/provision/demo-data.js';

const mains = { gateway: 'dist/apps/gateway/src/main.js', worker: 'dist/apps/stripe-worker/src/main.js' };
const tables = { merchant: merchants, merchant_session: merchantSessions, return_origin: returnOrigins } as const;

export interface StripeSystem extends AsyncDisposable {
  readonly system: System;
  readonly sandbox: StripeSandbox;
  /** SQL on the database of the system. */
  readonly sql: (text: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;
}

export async function startStripeSystem(options: SystemOptions = {}): Promise<StripeSystem> {
  await using started = new AsyncDisposableStack();
  const sandbox = started.use(await StripeSandbox.start());
  const stores = options.stores ?? givenStores();
  const env = { STRIPE_TIMEOUT_MS: '2000', PLATFORM_DATABASE_TIMEOUT_MS: '1000' };
  const gatewayEnv = options.gatewayEnv;
  const system = started.use(
    await startSystem({
      mains,
      ...options,
      gatewayEnv: (index) => ({ ...env, ...(typeof gatewayEnv === 'function' ? gatewayEnv(index) : gatewayEnv) }),
      workerEnv: { ...env, STRIPE_API_BASE: sandbox.url, STRIPE_SECRET_KEY: 'rk_test_e2e', ...options.workerEnv },
    }),
  );
  const sql: StripeSystem['sql'] = (text, values = []) => run(stores.databaseUrl, text, values);
  started.defer(async () => {
    for (const table of ['merchant_session', 'merchant', 'return_origin'])
      await sql(`DELETE FROM ${table} WHERE tenant_id = $1`, [system.tenant.id]).catch(() => undefined);
  });
  for (const [table, rows] of Object.entries(tables))
    await sql(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
      JSON.stringify(rows.map((row) => ({ ...row, tenant_id: system.tenant.id }))),
    ]);
  const owned = started.move();
  return { system, sandbox, sql, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function run(url: string, text: string, values: readonly unknown[]): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
    return rows;
  } finally {
    await client.end();
  }
}
