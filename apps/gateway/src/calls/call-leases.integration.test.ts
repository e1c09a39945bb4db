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
