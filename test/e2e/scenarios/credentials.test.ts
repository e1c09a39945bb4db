import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  acceptedShape,
  completeProfile,
  envelopeShape,
  eventually,
  HttpCaller,
  jobShape,
  startTimeoutMs,
  type EventReader,
  type System,
} from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { inProcess } from '../in-process.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';

const keyShape = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  prefix: z.string().regex(/^invoq_[0-9A-Za-z]{12}$/),
  tenant_id: z.string(),
  user_id: z.string().nullable(),
  tier: z.enum(['free', 'pro', 'vip']),
  scopes: z.array(z.string()),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
  serves: z.array(z.string()),
  approves_tools: z.boolean(),
  tools: z.array(z.string()),
  toolset: z.string().nullable(),
});
const newKeyShape = keyShape.extend({ key: z.string() });

describe('credentials', () => {
  let lab: LabSystem;
  let system: System;
  let user: HttpCaller;
  let admin: HttpCaller;
  /** Open under a key that is revoked at the start; looked at again at the end. */
  let revokedStream: EventReader;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, gateways: 2, gatewayEnv: { AUTH_FAILURES_PER_MINUTE: '1000' } });
    system = lab.system;
    user = await system.caller();
    admin = await system.admin();
    const { id, key } = await newKey({ user_id: 'user_001' });
    revokedStream = await keyed(key).stream('/tools/lab_steps/sse?order=revoked&steps=1&step_ms=45000');
    expect((await revokedStream.next())?.event).toBe('tool_progress');
    expect((await admin.delete(`/keys/${id}`)).status).toBe(200);
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const keyed = (key: string | null) => new HttpCaller(system.gateway.url, key);
  const newKey = async (wish: object) =>
    (await admin.post('/keys', { tenant_id: system.tenant.id, tier: 'pro', scopes: ['tools:read', 'tools:write'], ...wish })).as(
      newKeyShape,
    );

  verifies(['TU-117'], 'are needed on every route but the two health probes', async () => {
    const routes = [
      ['GET', '/tools'],
      ['GET', '/tools/calc_metrics'],
      ['POST', '/tools/calc_metrics'],
      ['GET', '/tools/calc_metrics/sse'],
      ['POST', '/tools/calc_metrics/sse'],
      ['POST', '/tools/list'],
      ['POST', '/tools/call'],
      ['POST', '/tools/batch'],
      ['POST', '/aurawell/calc_metrics'],
      ['POST', '/tickets'],
      ['GET', '/jobs'],
      ['GET', '/jobs/x'],
      ['GET', '/jobs/x/events'],
      ['DELETE', '/jobs/x'],
      ['GET', '/keys'],
      ['POST', '/keys'],
      ['DELETE', '/keys/x'],
      ['GET', '/traces/x'],
      ['GET', '/metrics'],
      ['GET', '/admin/queues'],
      ['GET', '/admin/queues/api/queues'],
      ['GET', '/nothing/here'],
    ] as const;
    for (const [method, path] of routes) {
      const reply = await system.anonymous.request(path, { method, ...(method === 'POST' && { json: {} }) });
      expect({ method, path, status: reply.status, asks: reply.headers.get('www-authenticate') }).toEqual({
        method,
        path,
        status: 401,
        asks: expect.stringMatching(/^(Bearer|Basic) realm=/),
      });
      if (!path.startsWith('/aurawell')) expect(expectRefusal(reply, { status: 401, code: 'UNAUTHORIZED' }).error.retryable).toBe(false);
    }
    for (const path of ['/healthz', '/readyz']) expect((await system.anonymous.get(path)).status).toBe(200);
    expect(JSON.stringify([await system.anonymous.get('/healthz'), await system.anonymous.get('/readyz')])).not.toMatch(
      /version|\d+\.\d+\.\d+\.\d+/,
    );
  });

  test('that are no key are refused alike, whichever part is wrong', async () => {
    const good = await system.tenant.key();
    const swapped = good.slice(0, -1) + (good.endsWith('0') ? '1' : '0');
    const [, id = ''] = good.split('_');
    const wrong = [
      swapped,
      good.slice(0, -1),
      `${good}x`,
      good.toLowerCase(),
      good.replace(id, 'a'.repeat(12)),
      'invoq_',
      'invoq_x_y',
      'x',
      `invoq_${'a'.repeat(8_000)}`,
    ];
    const messages = new Set<string>();
    for (const key of wrong)
      messages.add(expectRefusal(await keyed(key).get('/tools'), { status: 401, code: 'UNAUTHORIZED' }).error.message);
    expect(messages.size).toBeLessThanOrEqual(2);
    for (const header of ['Bearer', `Token ${good}`, good, `Bearer ${good} x`, 'Basic !!!', `Digest username="x"`]) {
      const reply = await keyed(null).get('/tools', { authorization: header });
      expectRefusal(reply, { status: 401, code: 'UNAUTHORIZED' });
      expect(reply.text).not.toContain(good);
    }
    expect((await keyed(null).get('/tools', { authorization: `bearer ${good}` })).status).toBe(200);
  });

  test('in the query are none, and no log repeats them', async () => {
    const key = await system.tenant.key();
    for (const name of ['key', 'api_key', 'access_token', 'token', 'authorization', 'ticket'])
      expectRefusal(await system.anonymous.get(`/tools?${name}=${key}`), { status: 401, code: 'UNAUTHORIZED' });
    expect((await keyed(key).call('calc_metrics', {})).status).toBe(400);
    const printed = [...system.gateways, ...system.workers].map((app) => app.printed).join('');
    expect(printed).not.toContain(key);
  });

  test('are made by administrators, shown once and stored as a hash', async () => {
    const made = await newKey({ user_id: 'user_001', tier: 'free' });
    expect(made).toMatchObject({ tenant_id: system.tenant.id, user_id: 'user_001', tier: 'free', expires_at: null, revoked_at: null });
    expectSuccess((await keyed(made.key).call('user_profile_lookup', { user_id: 'user_001' })).envelope);
    const one = await admin.get(`/keys/${made.id}`);
    expect(one.as(keyShape).id).toBe(made.id);
    const list = await admin.get('/keys');
    expect(list.as(z.strictObject({ keys: z.array(keyShape) })).keys.map(({ id }) => id)).toContain(made.id);
    for (const reply of [one, list]) expect(reply.text).not.toContain(made.key.slice(-20));
    expect(await system.redis.everything()).not.toContain(made.key.slice(-20));
  });

  test('cannot be made, listed or revoked by anyone else, nor with wrong wishes', async () => {
    for (const reply of [await user.post('/keys', {}), await user.get('/keys'), await user.delete('/keys/x'), await user.get('/keys/x')])
      expect(expectRefusal(reply, { status: 403, code: 'PERMISSION_DENIED' }).error).toMatchObject({ required_scope: 'tenant:admin' });
    const wish = { tenant_id: system.tenant.id, tier: 'pro', scopes: ['tools:read'] };
    const wrong = [
      { ...wish, tier: 'gold' },
      { ...wish, scopes: [] },
      { ...wish, scopes: ['everything'] },
      { ...wish, tenant_id: '' },
      { ...wish, expires_at: '2020-01-01T00:00:00Z' },
      { ...wish, expires_at: 'soon' },
      { ...wish, hash: 'x' },
      null,
      [],
    ];
    for (const body of wrong) expectRefusal(await admin.post('/keys', body), { status: 400, code: 'INVALID_PARAMS' });
    for (const id of ['nobody', '%2e%2e', 'x'.repeat(200)])
      expectRefusal(await admin.delete(`/keys/${id}`), { status: 404, code: 'RESOURCE_NOT_FOUND' });
  });

  test('end at every gateway soon after their revocation', async () => {
    const { id, key } = await newKey({ user_id: 'user_001' });
    const callers = system.gateways.map(({ url }) => new HttpCaller(url, key));
    for (const caller of callers) expect((await caller.get('/tools')).status).toBe(200);
    expect((await admin.delete(`/keys/${id}`)).as(keyShape).revoked_at).not.toBeNull();
    for (const caller of callers) {
      await eventually(async () => (await caller.get('/tools')).status === 401, { what: 'the key being refused' });
      expectRefusal(await caller.get('/tools'), { status: 401, code: 'UNAUTHORIZED' });
    }
  });

  verifies(['TU-116'], 'open what their scopes name, and the answer names the scope that is missing', async () => {
    const reader = await system.caller({ scopes: ['tools:read'] });
    expectSuccess(
      (await reader.call('calc_metrics', { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'light' })).envelope,
    );
    expect(
      expectRefusal(await reader.call('lab_effect', { order: 'denied' }), { status: 403, code: 'PERMISSION_DENIED' }).error,
    ).toMatchObject({ required_scope: 'tools:write' });
    const writer = await system.caller({ scopes: ['tools:write'] });
    expect(
      expectRefusal(
        await writer.call('calc_metrics', { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'light' }),
        { status: 403, code: 'PERMISSION_DENIED' },
      ).error,
    ).toMatchObject({ required_scope: 'tools:read' });
    expect(lab.ledger.of('denied').calls).toEqual([]);
    for (const path of ['/metrics', '/admin/queues', '/keys']) expect((await user.get(path)).status).toBe(403);
  });

  test('with act-as speak for a user, with no more rights than that user has', async () => {
    const agent = await system.caller({ userId: null, scopes: ['act-as', 'tools:read', 'tools:write', 'profile:read:any', 'admin'] });
    const asUser = agent.with({ 'x-user-id': 'user_001' });
    expectSuccess((await asUser.call('user_profile_lookup', { user_id: 'user_001' })).envelope);
    expectRefusal(await asUser.call('user_profile_lookup', { user_id: 'user_other' }), {
      status: 403,
      code: 'PERMISSION_DENIED',
      native: 'PERMISSION_DENIED',
    });
    expect((await asUser.get('/keys')).status).toBe(403);
    const { job_id } = (await asUser.post('/tools/user_profile_lookup', { user_id: 'user_001' }, { prefer: 'respond-async' })).as(
      acceptedShape,
    );
    expect((await user.get(`/jobs/${job_id}?wait=10`)).as(jobShape).result?.success).toBe(true);
    expect((await agent.with({ 'x-user-id': 'user_other' }).get(`/jobs/${job_id}`)).status).toBe(404);
    const refused = expectRefusal(await user.with({ 'x-user-id': 'user_other' }).get('/tools'), { status: 403, code: 'PERMISSION_DENIED' });
    expect(refused.error).toMatchObject({ required_scope: 'act-as' });
    expect((await user.with({ 'x-user-id': 'user_001' }).get('/tools')).status).toBe(200);
    for (const id of ['', 'a b', 'x'.repeat(129), 'a, b'])
      expect([400, 403]).toContain((await user.with({ 'x-user-id': id }).get('/tools')).status);
  });

  test('alone say who calls: nothing in a request changes it', async () => {
    const spoofed = {
      'x-tenant': 'other',
      'x-tenant-id': 'other',
      'x-user': 'user_other',
      'x-forwarded-user': 'user_other',
      forwarded: 'for=user_other',
    };
    const { metadata } = (
      await user.with(spoofed).post('/tools/user_profile_lookup?tenant_id=other&user=user_other', { user_id: 'user_001' })
    ).as(envelopeShape);
    expect((await user.get(`/jobs/${metadata.job_id}`)).as(jobShape).result?.data).toEqual(completeProfile);
    expect((await (await system.caller({ userId: 'user_other' })).get(`/jobs/${metadata.job_id}`)).status).toBe(404);
    expectRefusal(await user.with(spoofed).call('user_profile_lookup', { user_id: 'user_other' }), {
      status: 403,
      code: 'PERMISSION_DENIED',
      native: 'PERMISSION_DENIED',
    });
  });

  test('revoked while a stream is open end that stream', async () => {
    await expect(revokedStream.next(30_000)).resolves.toBeNull();
  });
});
