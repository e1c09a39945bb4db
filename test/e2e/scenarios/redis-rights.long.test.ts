// Each process under its own user of Redis, with the rights of ops/redis-users.sh.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { acceptedShape, eventually, givenStores, jobShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { WeatherServer } from '../../../scripts/stand-ins/weather/weather-server.js';
import { callAtEveryDoor } from '../call-at-every-door.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { startRedisWithUsers, type RedisWithUsers } from '../redis-with-users.js';

jest.setTimeout(startTimeoutMs);

describe('with the least rights in Redis', () => {
  let redis: RedisWithUsers;
  let weather: WeatherServer;
  let lab: LabSystem;
  let system: System;
  let user: HttpCaller;
  let admin: HttpCaller;

  beforeAll(async () => {
    [redis, weather] = await Promise.all([startRedisWithUsers(), WeatherServer.start()]);
    const worker = (name: 'knowledge' | 'agent' | 'perception' | 'stripe' | 'memotree', env: Readonly<Record<string, string>> = {}) => ({
      main: `dist/apps/${name}-worker/src/main.js`,
      env: { REDIS_URL: redis.urlOf(upper(name)), ...env },
    });
    lab = await startLabSystem({
      stores: { redisUrl: redis.urlOf('ADMIN'), databaseUrl: givenStores().databaseUrl },
      env: { INVOQ_NAMESPACE: 'invoq' },
      gatewayEnv: { REDIS_URL: redis.urlOf('GATEWAY') },
      workerEnv: { REDIS_URL: redis.urlOf('PROFILE') },
      more: [
        worker('knowledge'),
        worker('agent'),
        worker('perception', { WEATHER_API_BASE: weather.url }),
        worker('stripe'),
        worker('memotree'),
      ],
    });
    system = lab.system;
    user = await system.caller();
    admin = await system.admin();
  }, startTimeoutMs);
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
    await weather?.[Symbol.asyncDispose]();
    await redis?.[Symbol.asyncDispose]();
  });

  /** What Redis has refused since it was last asked, by user and command or key. */
  async function refusals(): Promise<readonly string[]> {
    const entries: unknown = await redis.admin.call('acl', 'log', '100');
    await redis.admin.call('acl', 'log', 'reset');
    return Array.isArray(entries) ? entries.map((entry) => JSON.stringify(entry)) : [];
  }

  test('all processes start and are ready, and nothing was refused', async () => {
    for (const app of [...system.gateways, ...system.workers, ...system.more]) {
      const name = app.logs()[0]?.name;
      // There is no Stripe here, which is what that worker waits for.
      if (name === 'stripe-worker') continue;
      await eventually(async () => (await system.anonymous.at(app.url).get('/readyz')).status === 200, { what: `${name} being ready` });
    }
    expect(await refusals()).toEqual([]);
  });

  test('a call succeeds at every door, of every domain, whatever becomes of it', async () => {
    await callAtEveryDoor(lab, { user, other: user });

    expect((await user.call('get_weather', { location: 'Beijing' })).envelope.success).toBe(true);
    expect((await user.call('search_knowledge', { query: 'sleep' })).envelope.metadata.job_id).toBeTruthy();
    expect((await user.call('stripe_get_account_status', { account_id: 'acct_1' })).envelope.metadata.tool_name).toBe(
      'stripe_get_account_status',
    );
    expect((await user.post('/memotree/create_node', { title: 'Rights', content: 'Each process has its own.' })).status).toBe(200);
    await using turn = await user.stream('/chat/v5/stream', { method: 'POST', json: { message: 'hello' } });
    expect((await turn.rest()).length).toBeGreaterThan(0);
    expect(await refusals()).toEqual([]);
  });

  test('a worker that dies is replaced, and its call ends', async () => {
    const { links } = (await user.post('/tools/lab_steps', { order: 'survives', steps: 5, step_ms: 200 }, { prefer: 'respond-async' })).as(
      acceptedShape,
    );
    await eventually(() => lab.ledger.of('survives').notes.length > 0, { what: 'a running call' });
    await system.worker.kill();
    await system.worker.start();
    await eventually(async () => (await user.get(`${links.self}?wait=10`)).as(jobShape).state === 'completed', { withinMs: 40_000 });
    expect(await refusals()).toEqual([]);
  });

  test('the board, the traces and the metrics can be read', async () => {
    const { metadata } = (await user.call('lab_cached', { order: 'traced' })).envelope;
    const queues = '/admin/queues/api/queues';
    for (const status of ['latest', 'active', 'waiting', 'prioritized', 'completed', 'failed', 'delayed', 'paused'])
      expect((await admin.get(`${queues}?activeQueue=profile&status=${status}&page=1&jobsPerPage=20`)).status).toBe(200);
    expect((await admin.get(`${queues}/profile/${metadata.job_id}`)).status).toBe(200);
    expect((await admin.get('/metrics')).status).toBe(200);
    await eventually(async () => (await user.get(`/traces/${metadata.trace_id}`)).status === 200, { what: 'a trace' });
    expect(await refusals()).toEqual([]);
  });

  const notForApps = [
    ['FLUSHALL', 'FLUSHDB', 'CONFIG SET maxmemory 1', 'CONFIG GET *', 'KEYS *', 'SCAN 0', 'RANDOMKEY', 'DBSIZE', 'DEBUG SLEEP 0'],
    ['SCRIPT FLUSH', 'FUNCTION LIST', 'ACL LIST', 'ACL SETUSER default on', 'CLIENT KILL TYPE normal', 'MONITOR'],
    ['SHUTDOWN', 'SAVE', 'REPLICAOF NO ONE', 'SWAPDB 0 1', 'MODULE LIST', 'SLOWLOG GET', 'PSUBSCRIBE *', 'SELECT 1'],
    ['RENAME {invoq:profile}:a {invoq:profile}:b', 'COPY {invoq:profile}:a {invoq:profile}:b', 'DUMP {invoq:profile}:a'],
    ['SORT {invoq:profile}:a', 'OBJECT FREQ {invoq:profile}:a', 'BLPOP {invoq:profile}:a 1'],
    ['GET other', 'SET other v', 'GET {invoq2:profile}:a', 'GET invoq', 'PUBLISH other v', 'SUBSCRIBE other', 'EVAL return(1) 1 other'],
  ].flat();
  const ofOthers = [
    'CLIENT LIST',
    'GET {invoq:stripe}:a',
    'DEL {invoq:stripe}:a',
    'GET {invoq:calls:x}:second:y',
    'GET invoq:ticket:a',
    'PUBLISH {invoq:stripe}:stops a',
  ];

  test.each([
    ['the gateway', 'GATEWAY', notForApps],
    ['a worker', 'PROFILE', [...notForApps, ...ofOthers, 'PUBLISH invoq:outside-changes a']],
  ] as const)('%s may do nothing else', async (_role, name, commands) => {
    const connection = new Redis(redis.urlOf(name), { enableReadyCheck: false });
    try {
      const allowed = await Promise.all(
        commands.map(async (command) => {
          const [first = '', ...args] = command.split(' ');
          return connection.call(first, ...args).then(
            () => command,
            (error: Error) => (/^NOPERM|^ERR DEBUG command not allowed/.test(error.message) ? null : `${command}: ${error.message}`),
          );
        }),
      );
      expect(allowed.filter((command) => command !== null)).toEqual([]);
      // A script has the rights of who runs it.
      await expect(connection.eval("return redis.call('get', 'other')", 0)).rejects.toThrow(/permission|access/);
    } finally {
      connection.disconnect();
      await refusals();
    }
  });

  test.each([
    ['nobody', ''],
    ['somebody with a wrong password', 'gateway:wrong@'],
  ])('%s is not let in', async (_who, credential) => {
    const connection = new Redis(redis.portOnly.replace('//', `//${credential}`), { lazyConnect: true, retryStrategy: () => null });
    connection.on('error', () => undefined);
    await expect(connection.connect().then(() => connection.get('{invoq:profile}:a'))).rejects.toThrow(/NOAUTH|WRONGPASS|closed/);
    connection.disconnect();
    await refusals();
  });

  test.each([
    ['gateway', '-xadd', '+xadd', /"gateway".*: xadd invoq:ticket:\S+ \* f v\. /],
    ['profile-worker', '-bzpopmin', '+bzpopmin', /"profile-worker".*: bzpopmin \{invoq:profile}:rights 1\. /],
    [
      'profile-worker',
      'resetchannels',
      '&{invoq:profile}:* &{invoq:runs}:*',
      /publish \{invoq:profile}:notices v; publish \{invoq:profile}:stops v; publish \{invoq:profile}:handed: v; publish \{invoq:runs}:told v\. /,
    ],
    [
      'perception-worker',
      'resetchannels',
      '&{invoq:perception}:* &{invoq:runs}:* &invoq:outside-changes',
      /publish invoq:outside-changes v\. |publish \{invoq:perception}:notices v; /,
    ],
  ])('a %s whose user got %s says so and ends', async (name, takeAway, giveBack, message) => {
    const app = [system.gateway, system.worker, ...system.more].find((one) => one.logs().some((line) => line.name === name));
    if (app === undefined) throw new Error(`${name} does not run`);
    await redis.admin.call('acl', 'setuser', name, takeAway);
    try {
      await app.stop();
      app.launch();
      expect(await app.exited).toBe(1);
      expect(app.logs().findLast(({ event }) => event === 'redis-rights')).toMatchObject({
        level: 'fatal',
        msg: expect.stringMatching(message),
      });
    } finally {
      await redis.admin.call('acl', 'setuser', name, ...giveBack.split(' '));
      await app.start();
    }
  });
});

function upper<Name extends string>(name: Name): Uppercase<Name>;
function upper(name: string): string {
  return name.toUpperCase();
}
