import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { callSums, historyPage } from '#lib/contracts';
import { createDatabase, createLogger } from '#lib/platform';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { BudgetCounts, HistoryStream, OutboxEntries, partitionOf } from '#lib/transport';
import { startTestGateway, type TestGateway } from '../test-gateway.js';
import { Outbox } from '../outbox/outbox.js';
import { CallBudgets } from '../rules/spending/call-budgets.js';
import { FailedCalls } from './failed-calls.js';
import { HistoryWriter } from './history-writer.js';

type Given = ConstructorParameters<typeof HistoryWriter>;

let gateway: TestGateway;
let user: HttpCaller;

beforeAll(async () => {
  gateway = await startTestGateway({ handler: ({ head }) => ({ ok: true, data: { made: String(head.input['order']) } }) });
  user = await gateway.caller();
}, startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

async function call(order: string): Promise<string> {
  const path = (await user.post('/tools/test_plain', { order }, { prefer: 'respond-async' })).headers.get('location') ?? '';
  await user.get(`${path}?wait=10`);
  return path.replace('/jobs/', '');
}

const history = async (query = '') => (await user.get(`/history?${query}`)).as(historyPage);
const sums = async (query = '') => (await user.get(`/usage/calls?${query}`)).as(callSums).sums;

describe('Entries of ended calls', () => {
  const partition = partitionOf('profile');
  const key = () => gateway.stores.keys.endedCalls(partition);
  const oldest = async () => (await gateway.stores.redis.xrange(key(), '-', '+'))[0]?.[1][1] ?? '';

  function readers() {
    const { redis, keys } = gateway.stores;
    return {
      ended: new HistoryStream(redis, keys),
      entries: new OutboxEntries(redis, keys),
      outbox: gateway.app.get(Outbox),
      failed: gateway.app.get(FailedCalls),
      budgets: new BudgetCounts(redis, keys),
      spending: gateway.app.get(CallBudgets),
    };
  }

  function writerOf(stores: Given[0], reading?: Given[1]): HistoryWriter {
    const { ended, entries, outbox, failed, budgets, spending } = readers();
    return new HistoryWriter(stores, reading ?? ended, entries, outbox, failed, budgets, spending);
  }

  function writer(databaseUrl?: string) {
    const { store, database } = gateway.stores;
    const unreachable = databaseUrl === undefined ? null : createDatabase({ url: databaseUrl, poolSize: 1, name: 'test' });
    const log = createLogger('test', 'silent');
    return writerOf({ store, database: unreachable ?? database, allPartitions: [], log });
  }

  /** Keeps the gateway's own writer from them. */
  async function undisturbed(work: () => Promise<void>): Promise<void> {
    const { store } = gateway.stores;
    await eventually(async () => store.open.sweepAlone({ partition, what: 'history', restMs: 0 }, work));
  }

  test('are counted once, however often they are stored; those that are none of ours are dropped', async () => {
    const { redis } = gateway.stores;
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

  test('are stored some hundred calls at a time, whatever their groups, so that nobody waits long for an answer', async () => {
    const { redis, keys, store, database } = gateway.stores;
    await undisturbed(async () => {
      await writer().write(partition);
      await call('many');
      const [one] = z.array(z.record(z.string(), z.unknown())).parse([JSON.parse(await oldest())].flat());
      const add = async (name: string, groups: number, size: number) => {
        for (let group = 0; group < groups; group++) {
          const calls = Array.from({ length: size }, (_, n) => ({ ...one, job_id: `${name}-${group}-${n}` }));
          await redis.xadd(key(), '*', 'calls', JSON.stringify(calls));
        }
      };
      const pieces: number[] = [];
      const ended = new HistoryStream(redis, keys);
      const read: HistoryStream['read'] = async (...asked) => {
        const entries = await ended.read(...asked);
        pieces.push(entries.reduce((sum, { calls }) => sum + (calls?.length ?? 0), 0));
        return entries;
      };
      const reading = {
        isEmpty: async () => false,
        read,
        drop: async (entries: Parameters<HistoryStream['drop']>[0]) => ended.drop(entries),
      };
      const log = createLogger('test', 'silent');
      const writing = writerOf({ store, database, allPartitions: [], log }, reading);
      await add('wide', 60, 16);
      await writing.write(partition);
      expect(pieces.reduce((sum, size) => sum + size, 0)).toBe(961);
      expect(Math.max(...pieces)).toBeLessThanOrEqual(256);
      // Calls that end one by one go together as many as before.
      pieces.length = 0;
      await add('narrow', 250, 1);
      await writing.write(partition);
      expect(pieces.reduce((sum, size) => sum + size, 0)).toBe(250);
      expect(Math.max(...pieces)).toBe(100);
      expect(await redis.xlen(key())).toBe(0);
    });
  });

  test('wait for the next second where they come while others are stored: to store few costs as much as to store many', async () => {
    const { redis, keys, store, database } = gateway.stores;
    await undisturbed(async () => {
      await writer().write(partition);
      await call('five');
      const text = await oldest();
      const ended = new HistoryStream(redis, keys);
      let pieces = 0;
      const reading = {
        isEmpty: async () => false,
        read: async (...asked: Parameters<HistoryStream['read']>) => {
          const entries = await ended.read(...asked);
          pieces++;
          if (pieces < 5) await redis.xadd(key(), '*', 'calls', text);
          return entries;
        },
        drop: async (entries: Parameters<HistoryStream['drop']>[0]) => ended.drop(entries),
      };
      const writing = writerOf({ store, database, allPartitions: [], log: createLogger('test', 'silent') }, reading);
      await writing.write(partition);
      expect([pieces, await redis.xlen(key())]).toEqual([1, 1]);
      // An entry of a worker of long ago, and one of now.
      await redis.xadd(keys.endedCallsOneByOne(partition), '*', 'call', text);
      pieces = 5;
      await writing.write(partition);
      expect([await redis.xlen(key()), await redis.xlen(keys.endedCallsOneByOne(partition))]).toEqual([0, 0]);
    });
  });

  test('are looked for every second by one gateway, and every few seconds by the others', async () => {
    const { redis, keys, database, store } = gateway.stores;
    const unserved = partitionOf('profile', 63);
    let [asked, hasSome] = [0, true];
    const sweepAlone: typeof store.open.sweepAlone = async (...asks) => (asked++, store.open.sweepAlone(...asks));
    const writing = writerOf(
      { store: { open: { sweepAlone } }, database, allPartitions: [unserved], log: createLogger('test', 'silent') },
      { isEmpty: async () => !hasSome, read: async () => [], drop: async () => undefined },
    );
    const asks: number[] = [];
    const roundAt = async (now: number) => writing.round(now).then(() => void asks.push(asked));
    await store.open.sweepAlone({ partition: unserved, what: 'history', restMs: 0 }, async () => {
      for (const now of [0, 1_000, 2_999, 3_000, 4_000]) await roundAt(now);
    });
    for (const now of [6_000, 7_000]) {
      await eventually(async () => (await redis.exists(keys.sweeper(unserved, 'history'))) === 0);
      await roundAt(now);
    }
    hasSome = false;
    await roundAt(60_000);
    expect(asks).toEqual([1, 1, 1, 2, 2, 3, 4, 4]);
  });

  test('stay while Postgres is away, and hold odd ids and days apart', async () => {
    const { redis } = gateway.stores;
    await undisturbed(async () => {
      await writer().write(partition);
      await call('four');
      const [entry] = JSON.parse(await oldest());
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
