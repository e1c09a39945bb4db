import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { z } from 'zod';
import {
  acceptedShape,
  completeProfile,
  envelopeShape,
  eventually,
  jobShape,
  nativeShape,
  startSystem,
  startTimeoutMs,
  type HttpCaller,
  type Reply,
  type System,
} from '#lib/testing';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startPostgres, startRedis, type PrivateStore } from '../../../scripts/provision/private-stores.js';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { verifies } from '../verifies.js';

jest.setTimeout(startTimeoutMs);

const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const health = z.looseObject({
  status: z.enum(['ready', 'not-ready']),
  dependencies: z.record(z.string(), z.looseObject({ state: z.enum(['up', 'down']) })),
});

describe('an outage', () => {
  let redis: PrivateStore;
  let postgres: PrivateStore;
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    // With `everysec`, a Redis that is killed loses what it held back while the disk was slow: docs/reliability.md.
    [redis, postgres] = await Promise.all([startRedis({ args: ['--appendfsync', 'always'] }), startPostgres()]);
    await migrate(postgres.url);
    system = await startSystem({ gateways: 2, stores: { redisUrl: redis.url, databaseUrl: postgres.url } });
    user = await system.caller();
    await user.call('user_profile_lookup', { user_id: 'user_001' });
  }, startTimeoutMs);
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    await Promise.all([redis?.[Symbol.asyncDispose](), postgres?.[Symbol.asyncDispose]()]);
  }, startTimeoutMs);

  const healthOf = async (base: string) => {
    const reply = await system.anonymous.at(base).get('/readyz');
    const { status, dependencies } = reply.as(health);
    return { http: reply.status, status, down: Object.keys(dependencies).filter((name) => dependencies[name]?.state === 'down') };
  };
  const down = (name: string) => ({ http: 503, status: 'not-ready', down: [name] });
  const ready = { http: 200, status: 'ready', down: [] };
  const worksAgain = (tool: string, params: object) =>
    eventually(async () => (await user.call(tool, params, { 'cache-control': 'no-cache' })).envelope.success, {
      withinMs: 20_000,
      what: `${tool} working again`,
    });

  verifies(['PL-12', 'TU-120'], 'of Redis is a 503 on every door, and heals without a hand', async () => {
    await redis.kill('SIGKILL');
    const calls = {
      call: () => user.call('calc_metrics', body),
      'REST-shaped call': () => user.post('/tools/call', { name: 'calc_metrics', arguments: body }),
      'call for later': () => user.post('/tools/user_profile_lookup', { user_id: 'user_001' }, { prefer: 'respond-async' }),
      jobs: () => user.get('/jobs'),
      job: () => user.get(`/jobs/inv_profile_${'0'.repeat(32)}`),
      ticket: () => user.post('/tickets', {}),
      trace: () => user.get('/traces/trace_20260101_000000000000'),
    };
    for (const [name, call] of Object.entries(calls)) {
      const value = await call();
      expect({ name, status: value.status, retryAfter: value.headers.get('retry-after') }).toEqual({ name, status: 503, retryAfter: '1' });
      expect(expectRefusal(value, { status: 503, code: 'NETWORK_ERROR' }).error.retryable).toBe(true);
    }
    const native = await user.post('/aurawell/calc_metrics', body);
    expect([native.status, native.as(nativeShape)]).toMatchObject([503, { status: 'error', data: null }]);
    await using stream = await user.stream('/tools/calc_metrics/sse', { method: 'POST', json: body });
    expect(await stream.rest()).toMatchObject([{ event: 'tool_error', data: { error: { code: 'NETWORK_ERROR' } } }]);
    expect((await user.get('/tools')).status).toBe(200);
    expectRefusal(await user.call('calc_metrics', { ...body, age: 0 }), { status: 400, code: 'INVALID_PARAMS', native: 'INVALID_INPUT' });
    for (const app of [system.gateway, system.worker]) {
      expect(await healthOf(app.url)).toEqual(down('redis'));
      expect((await system.anonymous.at(app.url).get('/healthz')).status).toBe(200);
    }
    await redis.restart();
    await worksAgain('calc_metrics', body);
    for (const app of [...system.gateways, system.worker]) await eventually(async () => (await healthOf(app.url)).status === 'ready');
    expect([...system.gateways, ...system.workers].every((app) => app.isRunning)).toBe(true);
  });

  verifies(['PL-12', 'PL-07'], 'of Redis loses no call that was accepted, and those who wait get their answer', async () => {
    await system.pauseWorkers();
    const waiting = user.call('user_profile_lookup', { user_id: 'user_001' });
    await using stream = await user.at(system.gateways[1]?.url ?? '').stream('/tools/user_profile_lookup/sse?user_id=user_001');
    await stream.next();
    const accepted = (await user.post('/tools/user_profile_lookup', { user_id: 'user_001' }, { prefer: 'respond-async' })).as(
      acceptedShape,
    );
    await redis.kill('SIGKILL');
    await redis.restart();
    system.worker.signal('SIGCONT');
    expect((await waiting).envelope.data).toEqual(completeProfile);
    expect((await stream.rest()).at(-1)).toMatchObject({ event: 'tool_result', data: { data: completeProfile } });
    const job = await eventually(
      async () => {
        const reply = await user.get(accepted.links.self);
        return reply.status === 200 && reply.as(jobShape).state === 'completed' ? reply.as(jobShape) : null;
      },
      { withinMs: 20_000 },
    );
    expect(job.result?.data).toEqual(completeProfile);
  });

  /** Calls for later by twenty callers while Redis is disturbed. Who is refused may come again; what was accepted ends well. */
  const disturbed = async (disturb: (control: Redis) => Promise<void>) => {
    const over = new AbortController();
    const control = new Redis(redis.url);
    const disturbing = disturb(control).finally(() => over.abort());
    const replies: Reply[] = [];
    const calls = async () => {
      for (let age = 18; !over.signal.aborted; age = 18 + ((age - 17) % 80)) {
        const reply = await user.post('/tools/calc_metrics?enable_cache=false', { ...body, age }, { prefer: 'respond-async' });
        replies.push(reply);
        if (reply.status !== 202) await setTimeout(20);
      }
    };
    await Promise.all([disturbing, ...Array.from({ length: 20 }, calls)]);
    control.disconnect();
    for (const reply of replies) if (reply.status !== 202) expectRefusal(reply, { status: 503, code: 'NETWORK_ERROR' });
    const accepted = replies.filter(({ status }) => status === 202).map((reply) => reply.as(acceptedShape).job_id);
    expect(accepted.length).toBeGreaterThan(50);
    expect(new Set(accepted).size).toBe(accepted.length);
    for (const jobId of accepted) {
      const ended = async () => {
        const reply = await user.get(`/jobs/${jobId}?wait=10`);
        return reply.status === 200 && reply.as(jobShape).finished_at ? reply.as(jobShape) : null;
      };
      const { state } = await eventually(ended, { withinMs: 30_000, what: `the end of ${jobId}` });
      expect(state).toBe('completed');
    }
  };

  verifies(['PL-07', 'PL-12'], 'of connections again and again costs some callers a 503, and no accepted call anything', () =>
    disturbed(async (control) => {
      for (let times = 0; times < 20; times++) {
        for (const type of ['NORMAL', 'PUBSUB']) await control.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
        // Long enough for a connection to be made again, also on a busy machine.
        await setTimeout(300);
      }
    }),
  );

  verifies(['PL-07', 'PL-12'], 'of memory in Redis costs callers a 503, and no accepted call anything', () =>
    disturbed(async (control) => {
      // Just enough and just too little by turns, so that it ends at any step of a call.
      for (let times = 0; times < 50; times++) {
        const used = Number(/^used_memory:(\d+)/m.exec(await control.info('memory'))?.[1]);
        await control.config('SET', 'maxmemory', used + 10_000);
        await setTimeout(100);
      }
      await control.config('SET', 'maxmemory', '0');
    }),
  );

  verifies(
    ['AW-15', 'AW-39', 'PL-05', 'PL-12', 'PL-09'],
    'of Postgres is DATABASE_ERROR after three retries, and heals with everything still there',
    async () => {
      await postgres.stop();
      const native = await user.post('/aurawell/user_profile_lookup', { user_id: 'user_001' });
      expect(native.status).toBe(503);
      expect(native.as(nativeShape)).toMatchObject({ status: 'error', data: null, error_code: 'DATABASE_ERROR' });
      const unified = await user.call('user_profile_lookup', { user_id: 'user_001' });
      const { error, metadata } = expectRefusal(unified, { status: 503, code: 'NETWORK_ERROR', native: 'DATABASE_ERROR' });
      expect([error.retryable, metadata.attempts]).toEqual([true, 4]);
      expect(unified.text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED|prisma/i);
      expect(await healthOf(system.gateway.url)).toEqual(down('postgres'));
      expect(await healthOf(system.worker.url)).toEqual(down('postgres'));
      await postgres.restart();
      await worksAgain('user_profile_lookup', { user_id: 'user_001' });
      expect((await user.call('user_profile_lookup', { user_id: 'user_001' })).envelope.data).toEqual(completeProfile);
      expect(await healthOf(system.gateway.url)).toEqual(ready);
    },
  );

  verifies(['AW-03'], 'of Postgres stops no tool that needs none, for keys that were seen before', async () => {
    const stranger = await system.caller();
    await postgres.stop();
    for (let age = 40; age < 43; age++) expectSuccess((await user.call('calc_metrics', { ...body, age })).envelope);
    expectRefusal(await stranger.call('calc_metrics', body), { status: 503, code: 'NETWORK_ERROR' });
    // Wrong by its checksum: told without asking the database.
    const wrong = user.with({ authorization: `Bearer invoq_${'a'.repeat(12)}_${'b'.repeat(38)}` });
    expectRefusal(await wrong.get('/tools'), { status: 401, code: 'UNAUTHORIZED' });
    expect((await user.get('/jobs')).status).toBe(200);
    await postgres.restart();
    await eventually(async () => (await stranger.get('/tools')).status === 200, { withinMs: 20_000 });
  });
  verifies(
    ['AW-38', 'AW-41', 'TU-118', 'PL-12'],
    'that leaves Postgres hanging cuts the attempt at 5 s, tries once more, and ends as a timeout',
    async () => {
      expect((await user.get('/tools/user_profile_lookup')).body).toMatchObject({ timeout_ms: 5_000 });
      await postgres.kill('SIGSTOP');
      const value = await user.call('user_profile_lookup', { user_id: 'user_001' });
      await postgres.kill('SIGCONT');
      const { error, metadata } = expectRefusal(value, { status: 504, code: 'TIMEOUT', native: 'DATABASE_ERROR' });
      expect([error.retryable, metadata.attempts]).toEqual([true, 2]);
      await worksAgain('user_profile_lookup', { user_id: 'user_001' });
    },
  );

  test('that is there when a process starts is waited out: it is alive, not ready, and works when the stores come', async () => {
    const [, second] = system.gateways;
    if (!second) throw new Error('no second gateway');
    await Promise.all([second.stop(), system.worker.stop()]);
    await Promise.all([redis.kill('SIGKILL'), postgres.stop()]);
    second.launch();
    system.worker.launch();
    for (const app of [second, system.worker]) {
      await eventually(
        async () =>
          (
            await system.anonymous
              .at(app.url)
              .get('/healthz')
              .catch(() => null)
          )?.status === 200,
        { withinMs: 30_000, what: 'a process without stores being alive' },
      );
      expect((await healthOf(app.url)).down).toEqual(['redis', 'postgres']);
    }
    await Promise.all([redis.restart(), postgres.restart()]);
    for (const app of [second, system.worker])
      await eventually(async () => (await healthOf(app.url)).status === 'ready', { withinMs: 30_000, what: 'the process being ready' });
    const reply = await user.at(second.url).post('/tools/user_profile_lookup', { user_id: 'user_001' });
    expect(expectSuccess(reply.as(envelopeShape))).toEqual(completeProfile);
  });
});
