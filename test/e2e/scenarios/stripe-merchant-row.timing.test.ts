// ST-20 states times: how long the platform's database may keep a caller waiting.
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startPostgres } from '../../../scripts/provision/private-stores.js';
import { expectSuccess } from '../expectations.js';
import { startStripeSystem, type StripeSystem } from '../stripe-system.js';
import { verifies } from '../verifies.js';

const route = '/stripe/supabase_get_merchant_row';

describe('a platform database of its own', () => {
  let database: Awaited<ReturnType<typeof startPostgres>>;
  let own: StripeSystem;
  let caller: HttpCaller;
  let admin: HttpCaller;

  beforeAll(async () => {
    database = await startPostgres();
    await migrate(database.url);
    own = await startStripeSystem({ workerEnv: { PLATFORM_DATABASE_URL: database.url } });
    caller = await own.system.caller();
    admin = await own.system.admin();
  }, startTimeoutMs);
  afterAll(async () => {
    await own?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });

  const advice = { success: false, error: 'db_error', suggestion: expect.any(String), fallback: ['docs_only', 'start_onboarding'] };

  verifies(['ST-20'], 'that hangs is db_error within its time, with where to turn', async () => {
    const { envelope } = await caller.call('supabase_get_merchant_row', { merchant_id: 'm_new' });
    expect(expectSuccess(envelope)).toMatchObject({ found: false });
    await database.kill('SIGSTOP');
    const start = performance.now();
    const hanging = await caller.post(route, { merchant_id: 'm_new' });
    const took = performance.now() - start;
    await database.kill('SIGCONT');
    expect([hanging.status, hanging.body]).toMatchObject([504, advice]);
    expect(took).toBeGreaterThan(900);
    expect(took).toBeLessThan(3_000);
  });

  verifies(['ST-19', 'ST-20'], 'that is away is db_error within 4 s, retries included, and there again with it', async () => {
    await database.kill('SIGKILL');
    const start = performance.now();
    const away = await caller.post(route, { merchant_id: 'm_new' });
    expect([away.status, away.body]).toMatchObject([503, advice]);
    expect(performance.now() - start).toBeLessThan(4_000);
    await database.restart();
    await eventually(async () => (await admin.post(route, { merchant_id: 'm_new' })).status === 200);
  });
});
