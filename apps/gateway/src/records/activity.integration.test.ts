import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { activitySchema, activitySecond, servedDomainName, settingList, workerList } from '#lib/contracts';
import { eventually, givenStores, HttpCaller, PrometheusText, startTimeoutMs, Tenant } from '#lib/testing';
import { partitionOf, type Partition } from '#lib/transport';
import { QueueSignals } from '../operations/queue-signals.js';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

let gateway: TestGateway;
let user: HttpCaller;
let admin: HttpCaller;

beforeAll(async () => {
  gateway = await startTestGateway({ handler: ({ head }) => ({ ok: true, data: { made: String(head.input['order']) } }) });
  [user, admin] = [await gateway.caller(), await gateway.caller({ userId: null, scopes: ['*'] })];
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

const path = '/admin/activity';
const read = async () => (await admin.get(path)).as(activitySchema);

describe('Activity', () => {
  test('counts calls that were refused, by code and tool, by the second and by the minute', async () => {
    for (let n = 0; n < 3; n++) await user.post('/tools/test_plain', { order: 7 });
    const found = await eventually(async () => {
      const { seconds, minutes } = await read();
      const counts = [seconds, minutes].map((buckets) =>
        buckets.reduce((sum, { by_tool }) => sum + (by_tool['test_plain']?.calls ?? 0), 0),
      );
      return counts.every((count) => count === 3) && { seconds, minutes };
    });
    for (const [bucket] of [found.seconds, found.minutes])
      expect(bucket?.by_tool['test_plain']).toMatchObject({ errors: { INVALID_PARAMS: expect.any(Number) }, p50_ms: null });
  });

  test('has latencies of calls that ran', async () => {
    const { activity } = gateway.stores;
    const at = Date.now() - 10_000;
    await activity.add(
      at,
      new Map([
        ['some_tool n', 2],
        ['some_tool l10', 2],
      ]),
    );
    await activity.add(
      at,
      new Map([
        ['some_tool n', 1],
        ['some_tool l20', 1],
      ]),
    );
    const bucket = (await read()).seconds.find(({ by_tool }) => by_tool['some_tool']);
    expect(bucket).toMatchObject({
      at: new Date(Math.floor(at / 1_000) * 1_000).toISOString(),
      by_tool: { some_tool: { calls: 3, p50_ms: 6.2, p99_ms: 38.3 } },
    });
  });

  test('forgets', async () => {
    const { activity, redis, keys } = gateway.stores;
    const at = 1_700_000_000_000;
    await activity.add(at, new Map([['old n', 1]]));
    expect(JSON.stringify(await read())).not.toContain('"old"');
    for (const [span, ms, most] of [
      ['second', 1_000, 6 * 60_000],
      ['minute', 60_000, 4 * 3_600_000],
    ] as const) {
      const left = await redis.pttl(keys.activity(span, Math.floor(at / ms)));
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(most);
    }
  });

  test('is pushed each second, after all that is shown', async () => {
    await using reader = await admin.stream(path);
    const first = await reader.next();
    expect(first?.event).toBe('activity');
    expect(activitySchema.parse(first?.data).queues.map(({ domain }) => domain)).toContain('profile');
    const [one, two] = [await reader.next(), await reader.next()];
    expect([one?.event, two?.event]).toEqual(['second', 'second']);
    const [before, after] = [one, two].map((event) => Date.parse(activitySecond.parse(event?.data).bucket.at));
    expect((after ?? 0) - (before ?? 0)).toBeGreaterThanOrEqual(1_000);
  });
});

test('queues have their bound, and the workers that were heard of', async () => {
  const { presence } = gateway.stores;
  const worker = {
    id: 'w1',
    domain: 'stripe',
    version: '1',
    host: 'h',
    pid: 1,
    running: 2,
    concurrency: 8,
    since: new Date().toISOString(),
  };
  await presence.announce(worker);
  expect((await admin.get('/admin/workers')).as(workerList).workers).toEqual([{ ...worker, seen_at: expect.any(String) }]);
  const { queues } = await read();
  expect(queues.find(({ domain }) => domain === 'stripe')).toMatchObject({ workers: 1, open: 0, limit: expect.any(Number) });
  await presence.leave(worker);
  expect((await admin.get('/admin/workers')).as(workerList).workers).toEqual([]);
});

test("a domain of a tenant's own workers is seen with its workers: by administrators, and by those of its tenant", async () => {
  const { servedDirectory, keys } = gateway.stores;
  const tenant = gateway.tenant.id;
  const queue = servedDomainName({ tenant, domain: 'sales' });
  const worker = { id: 'wrk_1', name: 'shop', since: new Date().toISOString(), concurrency: 8, running: 1 };
  const program = { key: 'k', name: 'shop', tools: ['make_quote@1.0.0'], isLeaving: false, since: 1 };
  const domain = { queue, domain: 'sales', tools: program.tools, programs: [program], isCut: false, connected: 1 };
  await servedDirectory.tell(queue, { ...domain, tenant, workers: [{ ...worker, key: 'k', tools: 1 }] });
  const seen = {
    tenant_id: tenant,
    domain: 'sales',
    tools: ['make_quote@1.0.0'],
    connected: 1,
    workers: [{ ...worker, key_id: 'k' }],
    open: 0,
    waiting: 0,
    oldest_waiting_at: null,
    unserved_since: null,
  };
  expect((await admin.get('/admin/workers')).as(workerList).own_domains).toEqual([seen]);
  const ofTenant = await gateway.caller({ scopes: ['tenant:admin'] });
  expect((await ofTenant.get('/admin/workers')).as(workerList)).toEqual({ own_domains: [seen], workers: [] });
  await using stranger = await Tenant.create(givenStores().databaseUrl);
  const other = new HttpCaller(gateway.url, await stranger.key({ scopes: ['tenant:admin'] }));
  expect((await other.get('/admin/workers')).as(workerList).own_domains).toEqual([]);
  const { open, waiting, oldest_waiting_at, unserved_since } = seen;
  const ofQueue = { tenant_id: tenant, domain: 'sales', open, waiting, oldest_waiting_at, limit: expect.any(Number) };
  expect((await read()).own_queues).toEqual([{ ...ofQueue, workers: 1, unserved_since }]);
  expect((await user.get('/readyz')).body).toMatchObject({ own_domains: { domains: 1, workers: 1 } });
  expect(new PrometheusText((await admin.get('/metrics')).text).sum('invoq_own_workers', { domain: queue })).toBe(1);
  await servedDirectory.tell(queue, null);
  await gateway.stores.redis.zadd(keys.open(partitionOf(queue)), Date.now(), 'waits');
  await gateway.stores.redis.lpush(keys.queue(partitionOf(queue), 'wait'), 'waits');
  const left = { ...seen, tools: [], connected: 0, workers: [], open: 1, waiting: 1, unserved_since: expect.any(String) };
  const ownOf = async (caller: HttpCaller) => (await caller.get('/admin/workers')).as(workerList).own_domains;
  // What several people look at is read once a second.
  const found = await eventually(async () => (await ownOf(admin)).find((one) => one.waiting === 1));
  expect(found).toEqual(left);
  expect(Date.now() - Date.parse(found.unserved_since ?? '')).toBeLessThan(10_000);
  expect(await ownOf(ofTenant)).toEqual([left]);
  expect(await ownOf(other)).toEqual([]);
  expect((await read()).own_queues).toEqual([{ ...ofQueue, open: 1, waiting: 1, workers: 0, unserved_since: expect.any(String) }]);
});

test('workers are pushed, to those of a tenant its own alone', async () => {
  const ofTenant = await gateway.caller({ scopes: ['tenant:admin'] });
  await using reader = await ofTenant.stream('/admin/workers');
  for (const event of [await reader.next(), await reader.next()]) {
    expect(event?.event).toBe('workers');
    const { own_domains, workers } = workerList.parse(event?.data);
    expect([own_domains.map(({ tenant_id }) => tenant_id), workers]).toEqual([[gateway.tenant.id], []]);
  }
});

test('settings are shown without secrets', async () => {
  const answer = await admin.get('/admin/settings');
  expect(answer.as(settingList).settings.find(({ name }) => name === 'SEALING_KEYS')).toMatchObject({ value: '[secret]', is_secret: true });
});

test.each([path, '/admin/workers', '/admin/settings'])('%s is for administrators', async (route) => {
  expect((await user.get(route)).status).toBe(403);
  expect((await user.get(route, { accept: 'text/event-stream' })).status).toBe(403);
});

describe('Signals to scale by', () => {
  const scrape = async () => new PrometheusText((await admin.get('/metrics')).text);
  type SignalStores = ConstructorParameters<typeof QueueSignals>[0];
  const signalsOf = (open: SignalStores['store']['open'], partitions: SignalStores['partitions'], own: readonly string[] = []) => {
    const { settings, metrics, clock } = gateway.stores;
    return new QueueSignals({ store: { open }, partitions, settings, metrics, clock, servedDirectory: { queues: own, connected: [] } });
  };

  test('tell how the queues stand, from any gateway', async () => {
    await user.post('/tools/test_plain', { order: 'signals' });
    const metrics = await scrape();
    // The worker of this test takes no job out of the queue.
    expect(metrics.sum('invoq_queue_calls', { domain: 'profile', state: 'waiting' })).toBeGreaterThan(0);
    expect(metrics.sum('invoq_queue_oldest_wait_seconds', { domain: 'profile' })).toBeGreaterThan(0);
    expect(metrics.sum('invoq_open_invocations_limit', { domain: 'agent' })).toBe(2_000);
    const { store, partitions } = gateway.stores;
    const own = Array.from({ length: 103 }, (_, n) => `own-${n.toString(16).padStart(16, '0')}-shop`);
    const last = own.slice(-2);
    const counted: Pick<typeof store.open, 'depth'> = {
      depth: async (domain) => ({
        open: own.includes(domain) ? 1 : 0,
        waiting: 0,
        active: 1,
        delayed: 0,
        resting: 0,
        oldestAt: null,
        ended: { waiting: 0, oldestMs: 0, lost: 0 },
      }),
    };
    await signalsOf(counted, partitions, own).read();
    const text = await gateway.stores.metrics.text();
    for (const name of last) expect(text).not.toContain(name);
    expect(new PrometheusText(text).sum('invoq_open_invocations', { domain: 'own-others' })).toBe(3);
    expect((await admin.get('/metrics')).text).not.toContain('own-others');
  });

  test('tell of one full partition among empty ones', async () => {
    const { metrics } = gateway.stores;
    const hot = partitionOf('agent', 1);
    const ended = { waiting: 0, oldestMs: 0, lost: 0 };
    const depth = async (partition: Partition) => ({
      open: partition === hot ? 1_900 : 100,
      waiting: 0,
      active: 0,
      delayed: 0,
      resting: 0,
      oldestAt: null,
      ended,
    });
    const partitions = { all: (domain: string) => [partitionOf(domain), partitionOf(domain, 1), partitionOf(domain, 2)] };
    await signalsOf({ depth }, partitions).read();
    const text = new PrometheusText(await metrics.text());
    const of = (name: string) => text.sum(name, { domain: 'agent' });
    expect([of('invoq_open_invocations'), of('invoq_open_invocations_limit'), of('invoq_fullest_partition_ratio')]).toEqual([
      2_100, 6_000, 0.95,
    ]);
  });

  test('are absent while Redis does not answer, and the other metrics are there', async () => {
    const { partitions, metrics } = gateway.stores;
    const away = { depth: async () => Promise.reject(new Error('away')) };
    await expect(signalsOf(away, partitions).read()).rejects.toThrow('away');
    const text = await metrics.text();
    expect(text).not.toMatch(/^invoq_queue_calls\{/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  });

  test('tell how long requests take by route, who failed to authenticate, and how fast Redis is', async () => {
    const before = await scrape();
    const grown = (after: PrometheusText, name: string, labels: Record<string, string>) =>
      after.sum(name, labels) - before.sum(name, labels);
    await new HttpCaller(gateway.url, 'no-key').get('/jobs/inv_profile_x');
    const bad = await user.get('/jobs/inv_profile_00000000000000000000000000000000');
    expect(bad.status).toBe(404);
    await eventually(async () => {
      const after = await scrape();
      const counted = (status: string) =>
        grown(after, 'invoq_http_request_duration_seconds_count', { method: 'GET', route: '/jobs/:id', status });
      return counted('4xx') === 2 && grown(after, 'invoq_auth_failures_total', { code: 'UNAUTHORIZED' }) === 1;
    });
    expect((await scrape()).sum('invoq_redis_roundtrip_seconds_count')).toBeGreaterThan(0);
  });
});
