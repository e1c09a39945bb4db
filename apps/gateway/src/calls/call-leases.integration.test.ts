import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { CallCounts, RedisKeys } from '#lib/transport';
import { CallLeases } from './call-leases.js';

const namespace = newNamespace();
let redis: Redis & AsyncDisposable;
let counts: CallCounts;
const gateways: CallLeases[] = [];

beforeAll(() => {
  redis = testRedis(namespace);
  counts = new CallCounts(redis, new RedisKeys(namespace));
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});
afterAll(async () => redis[Symbol.asyncDispose]());

let callers = 0;
const newWho = () => ({ principal: `user:t:${++callers}`, credentialId: 'k', day: '2026-11-22' });
const newGateway = () => {
  const gateway = new CallLeases(counts);
  gateways.push(gateway);
  return gateway;
};
const countedOf = async (who: ReturnType<typeof newWho>) =>
  Number(await redis.get(new RedisKeys(namespace).callsOfDay(who.principal, who.day)));

describe('two gateways', () => {
  test.each([
    ['a large limit', { perSecond: 1_000_000, perDay: 100_000 }, 100_000],
    ['a small limit', { perSecond: 1_000_000, perDay: 700 }, 700],
  ])('never let more calls of a day pass than %s has, and nearly all of them', async (_, most, perDay) => {
    const who = newWho();
    // All but 300 calls of the day are used.
    await counts.spend(who, most, { calls: perDay - 300, counted: 0 });
    const both = [newGateway(), newGateway()];
    const spent = await Promise.all(Array.from({ length: 500 }, () => both.map((gateway) => gateway.spend(who, most))).flat());
    const passed = spent.filter(({ kind }) => kind === 'spent').length;
    expect(passed).toBeLessThanOrEqual(300);
    expect(passed).toBeGreaterThanOrEqual(300 - 64);
    expect(await countedOf(who)).toBeLessThanOrEqual(perDay);
  });

  test('let pass together at most the calls of each second', async () => {
    const who = newWho();
    const most = { perSecond: 640, perDay: 1_000_000_000 };
    const both = [newGateway(), newGateway()];
    const passedAt: number[] = [];
    const end = performance.now() + 1_500;
    await Promise.all(
      Array.from({ length: 32 }, async (_caller, n) => {
        while (performance.now() < end) {
          const spent = await both[n % 2]?.spend(who, most);
          if (spent?.kind === 'spent') passedAt.push(performance.now());
          else await setTimeout(1);
        }
      }),
    );
    // Windows are fixed, so any two of them hold what passed within a second of time; the first has begun with the first call.
    const first = passedAt[0] ?? 0;
    expect(passedAt.filter((at) => at < first + 950).length).toBeLessThanOrEqual(640);
    expect(passedAt.length).toBeGreaterThan(640);
    expect(passedAt.length).toBeLessThanOrEqual(3 * 640);
  });
});

test('a tier with few calls is counted call by call: nothing is held that another gateway could spend', async () => {
  const who = newWho();
  const most = { perSecond: 50, perDay: 2_000 };
  await newGateway().spend(who, most);
  expect(await countedOf(who)).toBe(1);
});

test('calls at the same moment need one question more at most', async () => {
  const who = newWho();
  const most = { perSecond: 50, perDay: 2_000 };
  let asked = 0;
  const counting = new Proxy(counts, {
    get: (target, name) => {
      if (name === 'spend') return (...args: Parameters<CallCounts['spend']>) => (asked++, target.spend(...args));
      return Reflect.get(target, name);
    },
  });
  const gateway = new CallLeases(counting);
  gateways.push(gateway);
  const spent = await Promise.all(Array.from({ length: 60 }, () => gateway.spend(who, most)));
  expect(spent.filter(({ kind }) => kind === 'spent')).toHaveLength(50);
  expect(asked).toBeLessThanOrEqual(3);
});

test('what was counted ahead is given back when the gateway stops, or nobody calls any more', async () => {
  const most = { perSecond: 10_000, perDay: 1_000_000 };
  const [stopped, idle] = [newWho(), newWho()];
  const gateway = newGateway();
  await gateway.spend(stopped, most);
  expect(await countedOf(stopped)).toBe(64);
  await gateway.stop();
  expect(await countedOf(stopped)).toBe(1);
  const other = newGateway();
  await other.spend(idle, most);
  expect(await countedOf(idle)).toBe(64);
  await eventually(async () => (await countedOf(idle)) === 1, { withinMs: 12_000 });
}, 20_000);

test('while Redis is away every waiting call gets the fault, and the next ones are counted again', async () => {
  const who = newWho();
  const most = { perSecond: 50, perDay: 2_000 };
  const faults = [new Error('Connection is closed.')];
  const broken = new Proxy(counts, {
    get: (target, name) => {
      if (name !== 'spend') return Reflect.get(target, name);
      return async (...args: Parameters<CallCounts['spend']>) => {
        const fault = faults.pop();
        if (fault) throw fault;
        return target.spend(...args);
      };
    },
  });
  const gateway = new CallLeases(broken);
  gateways.push(gateway);
  await expect(gateway.spend(who, most)).rejects.toThrow('Connection is closed.');
  expect(await gateway.spend(who, most)).toEqual({ kind: 'spent' });
});

/** Counts what Redis is asked for. */
function watched() {
  const asked: number[] = [];
  const counting: Pick<CallCounts, 'spend' | 'refund'> = {
    spend: async (who, most, asking) => {
      asked.push(asking?.calls ?? 1);
      return counts.spend(who, most, asking);
    },
    refund: (who, calls) => counts.refund(who, calls),
  };
  const gateway = new CallLeases(counting);
  gateways.push(gateway);
  return { gateway, asked };
}

describe('a busy caller', () => {
  const most = { perSecond: 1_000_000, perDay: 1_000_000_000 };

  test('has ever more calls counted at once, up to 2,048, and none of them twice', async () => {
    const who = newWho();
    const { gateway, asked } = watched();
    for (let n = 0; n < 20_000; n++) expect((await gateway.spend(who, most)).kind).toBe('spent');
    expect(Math.max(...asked)).toBeGreaterThan(256);
    expect(Math.max(...asked)).toBeLessThanOrEqual(2_048);
    // What is counted and not made is never more than a lease.
    expect((await countedOf(who)) - 20_000).toBeLessThanOrEqual(2_048);
    await gateway.stop();
    expect(await countedOf(who)).toBe(20_000);
  });

  test('makes exactly the calls of his day', async () => {
    const who = newWho();
    const few = { perSecond: 1_000_000, perDay: 65_536 };
    await counts.spend(who, few, { calls: 65_536 - 1_000, counted: 0 });
    const { gateway } = watched();
    const kinds: string[] = [];
    for (let n = 0; n < 1_100; n++) kinds.push((await gateway.spend(who, few)).kind);
    expect(kinds.filter((kind) => kind === 'spent')).toHaveLength(1_000);
    expect(kinds.slice(1_000)).toEqual(Array.from({ length: 100 }, () => 'quota'));
    expect(await countedOf(who)).toBe(65_536);
  });

  test('never holds more than a 64th of the calls of his second', async () => {
    const who = newWho();
    const some = { perSecond: 6_400, perDay: 1_000_000_000 };
    const { gateway, asked } = watched();
    for (let n = 0; n < 2_000; n++) await gateway.spend(who, some);
    expect(Math.max(...asked)).toBeLessThanOrEqual(100);
    expect((await countedOf(who)) - 2_000).toBeLessThanOrEqual(100);
  });

  test('goes on with what is left while Redis refuses more', async () => {
    const who = newWho();
    let isAway = false;
    const flaky: Pick<CallCounts, 'spend' | 'refund'> = {
      spend: async (...args) => {
        if (isAway) throw new Error('Connection is closed.');
        return counts.spend(...args);
      },
      refund: (who, calls) => counts.refund(who, calls),
    };
    const gateway = new CallLeases(flaky);
    gateways.push(gateway);
    await gateway.spend(who, most);
    isAway = true;
    for (let n = 0; n < 63; n++) expect((await gateway.spend(who, most)).kind).toBe('spent');
    await expect(gateway.spend(who, most)).rejects.toThrow('Connection is closed.');
    isAway = false;
    expect((await gateway.spend(who, most)).kind).toBe('spent');
  });
});
