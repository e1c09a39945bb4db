import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callSums, historyPage, type PastCall, type ToolError } from '#lib/contracts';
import { createDatabase, createLogger } from '#lib/platform';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { EndedCalls, partitionOf } from '#lib/transport';
import { startTestGateway, type TestGateway } from '../test-gateway.js';
import { HistoryWriter } from './history-writer.js';

const soldOut: ToolError = { code: 'RESOURCE_NOT_FOUND', family: 'RESOURCE_NOT_FOUND', native_code: 'SOLD_OUT', message: 'none left' };
const secret = 'the-order-itself';

let gateway: TestGateway;
let user: HttpCaller;
let other: HttpCaller;
let admin: HttpCaller;

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: ({ head }) => {
      const order = String(head.input['order']);
      if (order === 'gone') return { ok: false, error: soldOut };
      return order === 'never' ? null : { ok: true, data: { made: order, usage: { input_tokens: 30, output_tokens: 4 } } };
    },
  });
  [user, other] = [await gateway.caller(), await gateway.caller({ userId: 'user_other' })];
  admin = await gateway.caller({ userId: null, scopes: ['*'] });
}, startTimeoutMs);

afterAll(async () => gateway?.[Symbol.asyncDispose]());

async function call(order: string, caller = user): Promise<string> {
  const path = (await caller.post('/tools/test_plain', { order }, { prefer: 'respond-async' })).headers.get('location') ?? '';
  if (order === 'never') await caller.delete(path);
  else await caller.get(`${path}?wait=10`);
  return path.replace('/jobs/', '');
}

const history = async (query = '', caller = user) => (await caller.get(`/history?${query}`)).as(historyPage);
const sums = async (query = '', caller = user) => (await caller.get(`/usage/calls?${query}`)).as(callSums).sums;

async function kept(jobId: string, caller = user): Promise<PastCall> {
  return eventually(async () => (await history('', caller)).calls.find(({ job_id }) => job_id === jobId));
}

describe('The history of calls', () => {
  test('has each ended call once, with how it ended and without what it was about', async () => {
    const ids = [await call(secret), await call('gone'), await call('never')];
    const calls = await Promise.all(ids.map(async (id) => kept(id)));
    expect(calls).toMatchObject([
      { state: 'completed', error: null, tool_name: 'test_plain', input_tokens: 30, output_tokens: 4, attempts_made: 1 },
      { state: 'failed', error: { code: 'RESOURCE_NOT_FOUND', native_code: 'SOLD_OUT' }, input_tokens: null },
      { state: 'cancelled', error: { code: 'CANCELLED', native_code: null } },
    ]);
    const page = await history();
    expect(JSON.stringify(page)).not.toContain(secret);
    expect(page.calls.filter(({ job_id }) => ids.includes(job_id))).toHaveLength(3);
    expect((await history('state=failed&code=SOLD_OUT&tool=test_plain')).calls.map(({ job_id }) => job_id)).toContain(ids[1]);
    expect((await history(`to=${calls[0]?.finished_at}`)).calls.map(({ job_id }) => job_id)).not.toContain(ids[0]);
  });

  test("is the caller's own; an administrator reads that of others", async () => {
    const theirs = await call('one', other);
    await kept(theirs, other);
    expect((await history()).calls.map(({ job_id }) => job_id)).not.toContain(theirs);
    for (const path of ['/history?scope=tenant', '/usage/calls?scope=all']) {
      const refused = await user.get(path);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('scope admin')]);
    }
    const seen = await history(`scope=all&user=user_other`, admin);
    expect(seen.calls.map(({ job_id }) => job_id)).toContain(theirs);
    expect(await sums('scope=tenant&by=user&user=user_other', admin)).toMatchObject([{ user_id: 'user_other', calls: 1 }]);
  });

  test('is read page by page, by cursors of one query and one caller', async () => {
    await kept(await call('two'));
    const whole = (await history()).calls.map(({ job_id }) => job_id);
    const first = await history('limit=1');
    const second = await history(`limit=1&cursor=${first.pagination.next_cursor}`);
    expect([...first.calls, ...second.calls].map(({ job_id }) => job_id)).toEqual(whole.slice(0, 2));
    for (const [query, caller] of [
      ['limit=1&tool=test_plain', user],
      ['limit=1', other],
    ] as const)
      expect((await caller.get(`/history?${query}&cursor=${first.pagination.next_cursor}`)).status).toBe(400);
  });

  test('names what is wrong with a query', async () => {
    const faults = ['/history?state=active', '/history?limit=0', '/usage/calls?by=week', '/usage/calls?from=2026-02-30'];
    for (const path of [...faults, '/usage/calls?from=2026-03-02&to=2026-03-01', '/usage/calls?from=2020-01-01&to=2026-01-01']) {
      const answer = await user.get(path);
      const [, field] = /\?(\w+)/.exec(path) ?? [];
      expect([path, answer.status, answer.text]).toEqual([path, 400, expect.stringContaining(`"path":"${field}"`)]);
    }
  });
});

describe('Entries of ended calls', () => {
  const partition = partitionOf('profile');
  const key = () => gateway.infrastructure.keys.endedCalls(partition);
  const oldest = async () => (await gateway.infrastructure.redis.xrange(key(), '-', '+'))[0]?.[1][1] ?? '';

  function writer(databaseUrl?: string) {
    const { redis, keys, store, database } = gateway.infrastructure;
    const unreachable = databaseUrl === undefined ? null : createDatabase({ url: databaseUrl, poolSize: 1, name: 'test' });
    const log = createLogger('test', 'silent');
    return new HistoryWriter({ ended: new EndedCalls(redis, keys), store, database: unreachable ?? database, partitions: () => [], log });
  }

  /** Keeps the gateway's own writer from them. */
  async function undisturbed(work: () => Promise<void>): Promise<void> {
    const { store } = gateway.infrastructure;
    await eventually(async () => store.open.sweepAlone({ partition, what: 'history', restMs: 0 }, work));
  }

  test('are counted once, however often they are stored; those that are none of ours are dropped', async () => {
    const { redis } = gateway.infrastructure;
    const wrong = ['', '{}', 'null', '{"job_id":1}'];
    await undisturbed(async () => {
      const before = await sums('by=tool');
      await writer().write(partition);
      const jobId = await call('three');
      const text = await oldest();
      expect(text).toContain(jobId);
      // A process that is killed between Postgres and Redis leaves them to be read again.
      for (const entry of [text, ...wrong, text]) await redis.xadd(key(), '*', 'call', entry);
      await writer().write(partition);
      expect(await redis.xlen(key())).toBe(0);
      await redis.xadd(key(), '*', 'call', text);
      await writer().write(partition);
      expect((await history()).calls.filter(({ job_id }) => job_id === jobId)).toHaveLength(1);
      const [was, is] = [before, await sums('by=tool')].map(([of]) => of?.calls ?? 0);
      expect(is).toBeGreaterThan(was ?? 0);
      expect(is).toBe((await history('limit=1000')).calls.length);
    });
  });

  test('are looked for every second by one gateway, and every few seconds by the others', async () => {
    const { redis, keys, database, store } = gateway.infrastructure;
    const unserved = partitionOf('profile', 63);
    let asked = 0;
    const writing = new HistoryWriter({
      ended: new EndedCalls(redis, keys),
      store: { open: { sweepAlone: async (...asks) => (asked++, store.open.sweepAlone(...asks)) } },
      database,
      partitions: () => [unserved],
      log: createLogger('test', 'silent'),
    });
    const asks: number[] = [];
    const roundAt = async (now: number) => {
      await writing.round(now);
      asks.push(asked);
    };
    await store.open.sweepAlone({ partition: unserved, what: 'history', restMs: 0 }, async () => {
      for (const now of [0, 1_000, 2_999, 3_000, 4_000]) await roundAt(now);
    });
    for (const now of [6_000, 7_000]) {
      await eventually(async () => (await redis.exists(keys.sweeper(unserved, 'history'))) === 0);
      await roundAt(now);
    }
    expect(asks).toEqual([1, 1, 1, 2, 2, 3, 4]);
  });

  test('stay while Postgres is away, and hold odd ids and days apart', async () => {
    const { redis } = gateway.infrastructure;
    await undisturbed(async () => {
      await writer().write(partition);
      await call('four');
      const entry = JSON.parse(await oldest());
      const ends = ['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z'].map((text) => Date.parse(text));
      for (const [index, finished_at] of ends.entries())
        await redis.xadd(key(), '*', 'call', JSON.stringify({ ...entry, job_id: `odd-${index}\0\ud800`, finished_at }));
      await expect(writer('postgres://nobody@127.0.0.1:1/none').write(partition)).rejects.toThrow();
      expect(await redis.xlen(key())).toBe(3);
      await writer().write(partition);
      expect(await sums('by=day&from=2026-02-28&to=2026-03-01')).toMatchObject([
        { day: '2026-02-28', calls: 1 },
        { day: '2026-03-01', calls: 1 },
      ]);
      expect((await history('from=2026-02-01T00:00:00Z&to=2026-03-02T00:00:00Z')).calls.map(({ job_id }) => job_id)).toEqual([
        'odd-1\uFFFD\uFFFD',
        'odd-0\uFFFD\uFFFD',
      ]);
    });
  });
});
