import { afterAll, describe, expect, test } from '@jest/globals';
import { eventually, newNamespace, testRedis } from '#lib/testing';
import { forgottenAfterMs, Partitions } from './partitions.js';
import { RedisKeys } from '../redis/redis-keys.js';
import { partitionOf } from '../redis/partition.js';

const redis = testRedis(newNamespace());

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

/** Gateways and workers of one new installation, whose clock the test moves. */
function installation() {
  const namespace = newNamespace();
  const keys = new RedisKeys(namespace);
  const clock = { now: 1_900_000_000_000 };
  const of = (count: number | null) =>
    new Partitions({
      redis,
      keys,
      count,
      everyMs: 50,
      now: () => clock.now,
      onFault: (error) => {
        throw error;
      },
    });
  return { namespace, keys, clock, of };
}

const call = (n: number) => ({ who: `tenant:user-${n}`, tool: 'calc_metrics', idempotencyKey: `key ${n}` });
const users = Array.from({ length: 200 }, (_, n) => n);

describe('partitions', () => {
  test('of a user are one and the same at every gateway, and all have users', () => {
    const { of } = installation();
    const [one, other] = [of(4), of(4)];
    const homes = users.map((n) => one.home('profile', call(n).who));
    expect(users.map((n) => other.home('profile', call(n).who))).toEqual(homes);
    expect(new Set(homes)).toEqual(new Set(['profile', 'profile~1', 'profile~2', 'profile~3']));
    expect(one.all('profile')).toEqual(['profile', 'profile~1', 'profile~2', 'profile~3']);
  });

  test('are one where one is asked for, and in a domain that a tenant serves', () => {
    const { of } = installation();
    expect(new Set(users.map((n) => of(1).home('profile', call(n).who)))).toEqual(new Set(['profile']));
    const own = 'own-0123456789abcdef-shop';
    expect(of(64).all(own)).toEqual([own]);
    expect(of(64).home(own, 'anybody')).toBe(own);
  });

  test('need nothing of Redis for a call while one number is in use', async () => {
    const { namespace, keys, of } = installation();
    const gateway = of(1);
    await gateway.start();
    for (const n of users) expect(await gateway.placeOf('profile', call(n))).toBe('profile');
    expect(await redis.keys(`*${namespace}*`)).toEqual([keys.partitionCounts()]);
    gateway.stop();
  });

  test('stay known to workers and gateways for three days after the last gateway that had them', async () => {
    const { of, clock } = installation();
    const [four, one, worker] = [of(4), of(1), of(null)];
    let grown = 0;
    worker.onGrowth(() => (grown += 1));
    await worker.look();
    expect([worker.all('profile').length, grown]).toEqual([1, 0]);
    await four.start();
    four.stop();
    await worker.look();
    expect([worker.all('profile').length, grown]).toEqual([4, 1]);
    clock.now += forgottenAfterMs;
    await one.look();
    await worker.look();
    expect([one.all('profile').length, worker.all('profile').length]).toEqual([4, 4]);
    clock.now += 1;
    await worker.look();
    await one.look();
    expect([one.all('profile').length, worker.all('profile').length, grown]).toEqual([1, 1, 1]);
  });

  test('are made known again when Redis has lost them', async () => {
    const { of, keys } = installation();
    const four = of(4);
    await four.look();
    await redis.del(keys.partitionCounts());
    await four.look();
    await four.look();
    expect(await redis.zscore(keys.partitionCounts(), '4')).not.toBeNull();
  });

  test('of both numbers are looked at for the calls of a user while two are in use', async () => {
    const { of } = installation();
    const [one, four] = [of(1), of(4)];
    await Promise.all([one.start(), four.start()]);
    await one.look();
    for (const gateway of [one, four]) gateway.stop();
    for (const n of users) {
      const { who } = call(n);
      expect(new Set(one.of('profile', who))).toEqual(new Set(four.of('profile', who)));
      expect(one.of('profile', who)[0]).toBe('profile');
      expect(four.of('profile', who)[0]).toBe(four.home('profile', who));
    }
  });
});

describe('a call with an idempotency key', () => {
  test('has one place, whichever gateways get it at the same time', async () => {
    const { of } = installation();
    const gateways = [of(1), of(4), of(3), of(4)];
    await Promise.all(gateways.map(async (gateway) => gateway.start()));
    for (const gateway of gateways) gateway.stop();
    await Promise.all(gateways.map(async (gateway) => gateway.look()));
    for (const n of users) {
      const places = await Promise.all(gateways.map(async (gateway) => gateway.placeOf('profile', call(n))));
      expect(new Set(places).size).toBe(1);
    }
  });

  test('goes where its key is since before the number changed', async () => {
    const { of, keys } = installation();
    const [before, after] = [of(1), of(4)];
    await before.start();
    const moved = users.map(call).filter(({ who }) => after.home('profile', who) !== 'profile');
    for (const { who, tool, idempotencyKey } of moved.slice(0, 20))
      await redis.set(keys.idempotency(partitionOf('profile'), [who, tool, idempotencyKey]), 'job print');
    await after.start();
    for (const gateway of [before, after]) gateway.stop();
    for (const one of moved.slice(0, 20)) expect(await after.placeOf('profile', one)).toBe('profile');
    for (const one of moved.slice(20)) expect(await after.placeOf('profile', one)).toBe(after.home('profile', one.who));
  });

  test('is looked up anew by a gateway that has not looked for a while', async () => {
    const { of } = installation();
    const [sleepy, four] = [of(1), of(4)];
    await sleepy.start();
    sleepy.stop();
    await four.start();
    four.stop();
    // `start` of the other took longer than a look is good for.
    const { who } = call(1);
    expect(sleepy.of('profile', who)).toEqual(['profile']);
    expect(await sleepy.placeOf('profile', call(1))).toBe(await four.placeOf('profile', call(1)));
    expect(sleepy.of('profile', who)).toContain(four.home('profile', who));
  });

  test('waits, also if it comes early, until every other gateway knows a number that this one brings', async () => {
    const { of, keys } = installation();
    const [one, four] = [of(1), of(4)];
    await one.start();
    const starting = four.start();
    await eventually(async () => (await redis.zscore(keys.partitionCounts(), '4')) !== null);
    const moved = users.map(call).find(({ who }) => four.home('profile', who) !== 'profile') ?? call(0);
    const place = await four.placeOf('profile', moved);
    expect(one.of('profile', moved.who)).toContain(place);
    await starting;
    for (const gateway of [one, four]) gateway.stop();
  });

  test('is refused while Redis is away, as it cannot be told where it is', async () => {
    const { keys } = installation();
    const away = testRedis(newNamespace());
    away.disconnect();
    const gateway = new Partitions({ redis: away, keys, count: 4, onFault: () => undefined });
    await expect(gateway.placeOf('profile', call(1))).rejects.toThrow();
  });
});
