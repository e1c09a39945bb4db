import { afterAll, expect, test } from '@jest/globals';
import { newNamespace, testRedis } from '#lib/testing';
import { RedisKeys } from '../redis/redis-keys.js';
import type { CountedKind } from './call-error.js';
import { errorHourMs, errorMinuteMs, ErrorStore, type CountedErrors } from './error-store.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const keys = new RedisKeys(namespace);
const store = new ErrorStore(redis, keys);
afterAll(async () => redis[Symbol.asyncDispose]());

const kind = (tenant_id: string, message: string): CountedKind => ({
  tenant_id,
  tool_name: 'quote',
  code: 'TIMEOUT',
  native_code: null,
  cause: 'system',
  message,
});
const spareOf = (own: Partial<CountedKind>): CountedKind => ({ ...kind('', ''), tool_name: null, message: null, ...own });
const counted = (own: CountedKind, minute: number, count = 1): CountedErrors => ({
  kind: own,
  spares: [spareOf({ tenant_id: own.tenant_id }), spareOf({ tenant_id: null })],
  minute,
  count,
  samples: [{ at: minute + count, trace_id: `t${count}`, job_id: null, user_id: null, message: 'late' }],
});
let hour = 400_000;

test('counts of several processes are added by kind and minute, with the last three samples', async () => {
  const start = ++hour * errorHourMs;
  const late = kind('a', 'late');
  for (let n = 1; n <= 4; n++) await store.add([counted(late, start, n), counted(late, start + 59 * errorMinuteMs, 2)]);
  await store.add([counted(kind('b', 'late'), start)]);
  const kinds = await store.read(hour);
  const [own, other] = ['a', 'b'].map((tenant) => kinds.find((one) => one.kind.tenant_id === tenant));
  expect(own).toMatchObject({ kind: late, samples: [{ trace_id: 't2' }, { trace_id: 't2' }, { trace_id: 't4' }] });
  expect(Object.fromEntries(own?.minutes ?? [])).toEqual({ [start]: 10, [start + 59 * errorMinuteMs]: 8 });
  expect(Object.fromEntries(other?.minutes ?? [])).toEqual({ [start]: 1 });
  expect(await store.read(hour + 1)).toEqual([]);
  const lifeMs = await redis.pttl(keys.errors(hour));
  expect(lifeMs / errorHourMs).toBeCloseTo(30, 0);
});

test('a tenant that makes messages without end takes 100 places, and no call of it is lost', async () => {
  const start = ++hour * errorHourMs;
  await store.add(Array.from({ length: 450 }, (_, n) => counted(kind('loud', `fault ${n}`), start)));
  await store.add([counted(kind('quiet', 'one'), start)]);
  const kinds = await store.read(hour);
  const loud = kinds.filter((one) => one.kind.tenant_id === 'loud');
  expect(loud).toHaveLength(101);
  expect(loud.find((one) => one.kind.message === null)?.minutes.get(start)).toBe(350);
  expect(kinds.find((one) => one.kind.tenant_id === 'quiet')?.kind.message).toBe('one');
});

test('tenants without end take 700 places, and those that found none are counted together', async () => {
  const start = ++hour * errorHourMs;
  await store.add(Array.from({ length: 1_500 }, (_, n) => counted(kind(`tenant ${n}`, 'the same'), start)));
  const kinds = await store.read(hour);
  expect(kinds).toHaveLength(701);
  expect(kinds.find((one) => one.kind.tenant_id === null)?.minutes.get(start)).toBe(800);
  expect(kinds.reduce((sum, { minutes }) => sum + (minutes.get(start) ?? 0), 0)).toBe(1_500);
  expect(await redis.memory('USAGE', keys.errors(hour))).toBeLessThan(2_000_000);
});
