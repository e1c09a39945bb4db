import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  acceptedShape,
  envelopeShape,
  eventually,
  jobShape,
  nativeShape,
  startTimeoutMs,
  type HttpCaller,
  type Reply,
  type System,
} from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const lookup = { user_id: 'user_001' };

describe('limits, in production settings', () => {
  let lab: LabSystem;
  let system: System;

  beforeAll(async () => {
    const gatewayEnv = {
      NODE_ENV: 'production',
      RATE_LIMIT_FREE: '3',
      TOOL_QUOTA_VIP: '5',
      AUTH_FAILURES_PER_MINUTE: '5',
      OPEN_REQUESTS_PER_CREDENTIAL: '25',
      CORS_ORIGINS: 'https://app.example.com, https://admin.example.com',
    };
    lab = await startLabSystem({ inProcess, apart: ['workers'], gateways: 2, gatewayEnv, workerEnv: { NODE_ENV: 'production' } });
    system = lab.system;
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  /** Calls at both gateways at once, and tells the replies apart by their status. */
  const burst = async (
    caller: HttpCaller,
    count: number,
  ): Promise<{ readonly passed: readonly Reply[]; readonly refused: readonly Reply[] }> => {
    const replies = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        caller.at(system.gateways[index % 2]?.url ?? '').post('/tools/user_profile_lookup', lookup),
      ),
    );
    return { passed: replies.filter(({ status }) => status === 200), refused: replies.filter(({ status }) => status !== 200) };
  };

  verifies(['TU-119', 'TU-60', 'TU-57'], 'of a second hold over all gateways, and the answer says when to come back', async () => {
    const free = await system.caller({ userId: 'free_u', tier: 'free', scopes: ['tools:read', 'profile:read:any'] });
    await free.get('/tools');
    const second = () => Math.floor(Date.now() / 1_000);
    const from = second();
    const { passed, refused } = await burst(free, 12);
    expect(passed.length).toBeGreaterThanOrEqual(3);
    // A burst may go on in the next second, which has a limit of its own.
    expect(passed.length).toBeLessThanOrEqual(3 * (second() - from + 1));
    for (const reply of refused) {
      const { error, retry_after } = expectRefusal(reply, { status: 429, code: 'RATE_LIMITED', tool: 'user_profile_lookup' });
      expect(error).toMatchObject({ retryable: true, retry_after_ms: expect.any(Number) });
      expect(error.retry_after_ms).toBeLessThanOrEqual(1_000);
      expect([retry_after, reply.headers.get('retry-after'), reply.headers.get('ratelimit-policy')]).toEqual([1, '1', '"default";q=3;w=1']);
      expect(reply.headers.get('ratelimit')).toBe('"default";r=0;t=1');
    }
  });

  test('of a second are of each credential: others are not slowed down', async () => {
    const [first, second] = [await system.caller({ tier: 'free' }), await system.caller({ userId: 'user_other', tier: 'free' })];
    await burst(first, 8);
    expect((await second.post('/tools/user_profile_lookup', { user_id: 'user_other' })).status).toBe(200);
  });

  verifies(['TU-123', 'TU-61', 'TU-57'], 'of a day hold under concurrency, and are told apart from those of a second', async () => {
    const vip = await system.caller({ userId: 'vip_u', tier: 'vip', scopes: ['tools:read', 'profile:read:any'] });
    await vip.get('/tools');
    const { passed, refused } = await burst(vip, 20);
    expect(passed).toHaveLength(5);
    for (const reply of refused) {
      const { error } = expectRefusal(reply, { status: 429, code: 'QUOTA_EXCEEDED' });
      expect(error).toMatchObject({ retryable: false, hint: expect.stringMatching(/plan|period/) });
      expect(error.retry_after_ms).toBeUndefined();
      expect(reply.headers.get('retry-after')).toBeNull();
      expect(reply.headers.get('ratelimit-policy')).toBe('"default";q=5;w=86400');
    }
    const another = await system.caller({ userId: 'vip_u', tier: 'vip', scopes: ['tools:read', 'profile:read:any'] });
    expectRefusal(await another.call('user_profile_lookup', lookup), { status: 429, code: 'QUOTA_EXCEEDED' });
    const native = await vip.post('/aurawell/user_profile_lookup', lookup);
    expect([native.status, native.as(nativeShape).error_code]).toEqual([429, 'QUOTA_EXCEEDED']);
  });

  test('count what is run: a refused call costs nothing of the day', async () => {
    const vip = await system.caller({ userId: 'vip_2', tier: 'vip', scopes: ['tools:read', 'profile:read:any'] });
    for (let count = 0; count < 8; count++) expect((await vip.call('user_profile_lookup', {})).status).toBe(400);
    expect((await burst(vip, 7)).passed).toHaveLength(5);
  });

  test('hold for every door alike', async () => {
    const free = await system.caller({ userId: 'free_3', tier: 'free', scopes: ['tools:read', 'profile:read:any'] });
    const calls = Array.from({ length: 20 }, (_, id) => ({ id, name: 'user_profile_lookup', arguments: lookup }));
    const results = (await free.post('/tools/batch', { calls })).body;
    expect(JSON.stringify(results).match(/"RATE_LIMITED"/g)?.length).toBeGreaterThanOrEqual(14);
    await using stream = await free.stream('/tools/user_profile_lookup/sse?user_id=user_001');
    const last = envelopeShape.parse((await stream.rest()).at(-1)?.data);
    expect(['RATE_LIMITED', undefined]).toContain(last.error?.code);
  });

  test('of open requests hold for one credential, and end with the requests', async () => {
    const [many, other] = [await system.caller(), await system.caller()];
    await system.pauseWorkers();
    const job = (await many.post('/tools/user_profile_lookup', lookup, { prefer: 'respond-async' })).as(acceptedShape);
    {
      await using streams = new AsyncDisposableStack();
      for (let open = 0; open < 25; open++) streams.use(await many.stream(job.links.events));
      const refused = await many.get('/tools');
      const { error } = expectRefusal(refused, { status: 429, code: 'RATE_LIMITED' });
      expect(error).toMatchObject({ message: expect.stringContaining('its limit of open requests here (25)'), retry_after_ms: 1_000 });
      expect(refused.headers.get('retry-after')).toBe('1');
      expect((await other.get('/tools')).status).toBe(200);
      expect((await many.at(system.gateways[1]?.url ?? '').get('/tools')).status).toBe(200);
    }
    await eventually(async () => (await many.get('/tools')).status === 200, { what: 'a request after the streams' });
    system.worker.signal('SIGCONT');
    expect((await many.get(`/jobs/${job.job_id}?wait=10`)).as(jobShape).state).toBe('completed');
  });

  test('of guessing keys hold for the guesser and not for a good key', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++)
      statuses.push((await system.anonymous.get('/tools', { authorization: `Bearer invoq_${count}` })).status);
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    const refused = await system.anonymous.get('/tools', { authorization: 'Bearer invoq_x' });
    expectRefusal(refused, { status: 429, code: 'RATE_LIMITED' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await (await system.caller()).get('/tools')).status).toBe(200);
  });

  verifies(['TU-66'], 'show no debug_info in production, however it is asked for', async () => {
    const user = await system.caller();
    for (const reply of [
      await user.call('user_profile_lookup', { ...lookup, debug: true }),
      await user.post('/tools/user_profile_lookup?debug=true', lookup),
    ]) {
      expect(expectSuccess(reply.as(envelopeShape))).toMatchObject(lookup);
      expect(reply.text).not.toContain('debug_info');
    }
  });

  verifies(['TU-110', 'TU-121'], 'show no stack and nothing of the inside in production', async () => {
    const reply = await (await system.caller()).call('lab_fail', { order: 'production', kind: 'internal', times: 99 });
    expectRefusal(reply, { status: 500, code: 'EXECUTION_ERROR' });
    expect(reply.text).not.toMatch(/canary|\.js|node_modules|stack|TypeError/);
  });

  test('of origins: a browser may call from those on the list and no other', async () => {
    const user = await system.caller();
    for (const origin of ['https://app.example.com', 'https://admin.example.com'])
      expect((await user.get('/tools', { origin })).headers.get('access-control-allow-origin')).toBe(origin);
    for (const origin of ['https://evil.example.com', 'https://app.example.com.evil.com', 'http://app.example.com', 'null']) {
      const reply = await user.get('/tools', { origin });
      expect([reply.headers.get('access-control-allow-origin'), reply.headers.get('access-control-allow-credentials')]).toEqual([
        null,
        null,
      ]);
    }
  });
});
