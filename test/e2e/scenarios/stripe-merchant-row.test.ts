import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { eventually, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { PlatformReader } from '../../../apps/stripe-worker/src/platform/platform-reader.js';
import { expectRefusal } from '../expectations.js';
import { inProcess } from '../in-process.js';
import { startStripeSystem, type StripeSystem } from '../stripe-system.js';
import { verifies } from '../verifies.js';

const route = '/stripe/supabase_get_merchant_row';
const observed_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

let stripe: StripeSystem;
let system: System;
let user: HttpCaller;

beforeAll(async () => {
  stripe = await startStripeSystem({ inProcess });
  system = stripe.system;
  user = await system.caller();
}, startTimeoutMs);
afterAll(async () => stripe?.[Symbol.asyncDispose]());

const ask = async (body: object, headers = {}) => {
  const reply = await user.post(route, body, headers);
  return [reply.status, reply.body];
};

describe('the merchant row', () => {
  verifies(['ST-16', 'ST-17', 'ST-18'], 'is found by merchant, by session, or by both when they agree', async () => {
    const onboarded = {
      success: true,
      merchant_id: 'm_onboarded',
      stripe_account_id: 'acct_ok',
      status_summary: { onboarding: 'complete' },
      profile: { display_name: 'Corner Bakery', country: 'US', business_type: 'company' },
      found: true,
      observed_at,
    };
    expect(await ask({ merchant_id: 'm_onboarded' })).toEqual([200, onboarded]);
    expect(await ask({ user_session_id: 'sess_ok' })).toEqual([200, onboarded]);
    expect(await ask({ merchant_id: 'm_onboarded', user_session_id: 'sess_ok' })).toEqual([200, onboarded]);
    const [status, fresh] = await ask({ merchant_id: 'm_new' });
    expect([status, fresh]).toMatchObject([200, { success: true, found: true, merchant_id: 'm_new' }]);
    expect(fresh).not.toHaveProperty('stripe_account_id');
    expect(await ask({ merchant_id: 'm_nobody' })).toEqual([200, { success: true, merchant_id: 'm_nobody', found: false, observed_at }]);
  });

  verifies(['ST-16', 'ST-19'], 'is refused with the literal of the cause', async () => {
    expect(await ask({})).toMatchObject([400, { success: false, error: 'invalid_request', message: expect.stringContaining('required') }]);
    expect(await ask({ merchant_id: "x' OR '1'='1" })).toMatchObject([400, { error: 'invalid_request' }]);
    expect(await ask({ merchant_id: { not: null } })).toMatchObject([400, { error: 'invalid_request' }]);
    expect(await ask({ user_session_id: 'sess_unheard' })).toMatchObject([
      404,
      { success: false, error: 'not_found', fallback: ['start_onboarding'] },
    ]);
    for (const foreign of [
      { merchant_id: 'm_other' },
      { user_session_id: 'sess_other' },
      { merchant_id: 'm_new', user_session_id: 'sess_ok' },
      { merchant_id: 'm_other', user_session_id: 'sess_ok' },
    ])
      expect([foreign, await ask(foreign)]).toMatchObject([foreign, [403, { success: false, error: 'unauthorized' }]]);
    expect(await ask({ merchant_id: 'm_new' }, { 'x-session-id': 'sess_ok' })).toMatchObject([403, { error: 'unauthorized' }]);
    expectRefusal(await user.call('supabase_get_merchant_row', {}), {
      status: 400,
      code: 'INVALID_PARAMS',
      native: 'invalid_request',
      paths: ['merchant_id'],
    });
  });

  verifies(['ST-19'], 'of another tenant is unauthorized, whoever asks', async () => {
    await using other = await startStripeSystem({ inProcess, workers: 0 });
    await other.sql('UPDATE merchant SET id = $1 WHERE id = $2 AND tenant_id = $3', ['m_elsewhere', 'm_new', other.system.tenant.id]);
    for (const caller of [user, await system.admin()])
      expect((await caller.post(route, { merchant_id: 'm_elsewhere' })).body).toMatchObject({ success: false, error: 'unauthorized' });
  });

  verifies(['ST-21'], 'has a version: whoever knows it is told 304 until the row changes', async () => {
    const first = await user.post(route, { merchant_id: 'm_due' });
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await user.post(route, { merchant_id: 'm_due' }, { 'if-none-match': `"x", ${etag}` });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    const line = await eventually(() =>
      system.logs().findLast((one) => one.event === 'call-end' && one['trace_id'] === again.headers.get('x-trace-id')),
    );
    // The version check alone.
    expect(line).toMatchObject({ rows: 1, success: true });
    await stripe.sql('UPDATE merchant SET status_summary = \'{"onboarding":"complete"}\' WHERE id = \'m_due\' AND tenant_id = $1', [
      system.tenant.id,
    ]);
    const changed = await user.post(route, { merchant_id: 'm_due' }, { 'if-none-match': etag });
    expect([changed.status, changed.body]).toMatchObject([200, { status_summary: { onboarding: 'complete' } }]);
    expect(changed.headers.get('etag')).not.toBe(etag);
    const unified = await user.post('/tools/supabase_get_merchant_row', { merchant_id: 'm_due' });
    expect(unified.headers.get('etag')).toBe(changed.headers.get('etag'));
  });

  verifies(['ST-22', 'ST-23'], 'leaves hashes of ids, SQL time and rows behind; no id and nothing personal', async () => {
    const session = `sess_${system.tenant.id}`;
    const merchant = `m_${system.tenant.id}`;
    await stripe.sql(
      'INSERT INTO merchant (id, tenant_id, user_id, email, phone, legal_name, bank_last4) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [merchant, system.tenant.id, 'user_001', 'ada@personal.example', '+1 555 0199', 'Ada Personal', 'QZ77'],
    );
    await stripe.sql('INSERT INTO merchant_session VALUES ($1, $2, $3, $4)', [session, system.tenant.id, merchant, 'user_001']);
    const reply = await user.post(route, { merchant_id: merchant, user_session_id: session });
    expect(reply.body).toMatchObject({ success: true, found: true });
    const traceId = reply.headers.get('x-trace-id') ?? '';
    const line = await eventually(() => system.logs().find((one) => one.event === 'call-end' && one['trace_id'] === traceId));
    expect(line).toMatchObject({
      merchant_id_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
      user_session_id_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
      sql_ms: expect.any(Number),
      rows: 2,
    });
    const spans = await eventually(async () => {
      const { text } = await user.get(`/traces/${traceId}`);
      return text.includes('merchant_id_hash') ? text : null;
    });
    const printed = [...system.gateways, ...system.workers].map((app) => app.printed).join('\n');
    expect(printed + spans).not.toContain(session);
    expect(printed + spans).not.toContain(`"${merchant}"`);
    const everything = [reply.text, printed, spans, await system.redis.everything()].join('\n');
    expect(everything).not.toMatch(/ada@personal|555 0199|Ada Personal|QZ77/);
  });

  verifies(['ST-15'], 'is read as a role that can read three views and do nothing else', async () => {
    const connection = new Client({ connectionString: process.env['DATABASE_URL'] });
    await connection.connect();
    try {
      const refused = async (text: string) => {
        await connection.query('BEGIN; SET LOCAL ROLE invoq_platform_reader');
        const error = await connection.query(text).then(
          () => null,
          (fault: unknown) => fault,
        );
        await connection.query('ROLLBACK');
        return error instanceof Error && 'code' in error ? error.code : 'allowed';
      };
      expect(await refused('SELECT merchant_id FROM platform_merchant LIMIT 1')).toBe('allowed');
      for (const text of [
        "UPDATE platform_merchant SET country = 'XX'",
        'DELETE FROM platform_session',
        "INSERT INTO platform_return_origin VALUES ('t', 'https://evil.example')",
        'SELECT email FROM merchant',
        'SELECT hash FROM api_key',
        'CREATE TABLE theirs (id int)',
      ])
        expect([text, await refused(text)]).toEqual([text, '42501']);
    } finally {
      await connection.end();
    }
    const { rows } = await catalogueOf('platform_merchant');
    expect(rows).not.toEqual(expect.arrayContaining(['email', 'phone', 'legal_name', 'bank_last4']));
  });

  async function catalogueOf(view: string) {
    const rows = await stripe.sql('SELECT column_name FROM information_schema.columns WHERE table_name = $1', [view]);
    return { rows: rows.map((row) => row['column_name']) };
  }
});

test('the role refuses an UPDATE that the tool itself would send', async () => {
  const reader = new PlatformReader({
    url: process.env['DATABASE_URL'] ?? '',
    poolSize: 1,
    role: 'invoq_platform_reader',
    statementTimeoutMs: 2_000,
  });
  try {
    await expect(reader.read((query) => query("UPDATE platform_merchant SET country = 'XX'", []))).rejects.toMatchObject({ code: '42501' });
  } finally {
    await reader.close();
  }
});
