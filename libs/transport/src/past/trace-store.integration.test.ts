import { afterAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { newNamespace, testRedis } from '#lib/testing';
import { RedisKeys } from '../redis/redis-keys.js';
import { traceLists, TraceStore } from './trace-store.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const keys = new RedisKeys(namespace);
const secrets = ['new', 'old'].map((id) => ({ id, key: randomBytes(32) }));
const traces = new TraceStore(redis, keys, secrets);

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

let made = 0;
/** A W3C trace id, and the id by which callers know it. */
function newTrace() {
  const prefix = (++made).toString(16).padStart(12, '0');
  return { w3c: prefix.padEnd(32, 'f'), prefix, outward: `trace_20261121_${prefix}` };
}
const attributesOf = (tenant: string | null) => (tenant === null ? {} : { 'invoq.tenant': tenant });
const spanOf = (w3c: string, name: string, { start = Date.now(), tenant = 't' }: { start?: number; tenant?: string | null } = {}) => ({
  trace_id: w3c,
  name,
  start,
  attributes: attributesOf(tenant),
});
const me = { who: 'me', tenant: 't' };
const namesOf = async (id: string, tenant: string | null = 't') =>
  (await traces.read(id, { ...me, tenant })).map((text) => String(JSON.parse(text).name));

describe('the spans of a trace', () => {
  test('are found by its outward id, in order, over several writes', async () => {
    const { w3c, outward } = newTrace();
    await traces.append([spanOf(w3c, 'a'), spanOf(w3c, 'b')]);
    await traces.append([spanOf(w3c, 'c')]);
    expect(await namesOf(outward)).toEqual(['a', 'b', 'c']);
  });

  test('are kept apart from those of others that are written with them', async () => {
    const [one, other] = [newTrace(), newTrace()];
    await traces.append([spanOf(one.w3c, 'a'), spanOf(other.w3c, 'x'), spanOf(one.w3c, 'b')]);
    expect(await namesOf(one.outward)).toEqual(['a', 'b']);
    expect(await namesOf(other.outward)).toEqual(['x']);
  });

  test('are found by an id of the caller’s own', async () => {
    const { w3c, prefix } = newTrace();
    await traces.append([spanOf(w3c, 'a')]);
    await traces.alias('me', 'trace_mine', prefix);
    expect(await namesOf('trace_mine')).toEqual(['a']);
    expect(await traces.read('trace_mine', { ...me, who: 'somebody-else' })).toEqual([]);
  });

  test('stay where an id of our own shape, or one that was used before, is sent again', async () => {
    const [first, second] = [newTrace(), newTrace()];
    await traces.append([spanOf(first.w3c, 'first'), spanOf(second.w3c, 'second')]);
    await traces.alias('me', first.outward, second.prefix);
    expect(await namesOf(first.outward)).toEqual(['first']);
    await traces.alias('me', 'trace_twice', first.prefix);
    await traces.alias('me', 'trace_twice', second.prefix);
    expect(await namesOf('trace_twice')).toEqual(['first']);
  });

  test('are found by the newest 1,000 ids of a caller, for an hour', async () => {
    await Promise.all(Array.from({ length: 1_001 }, (_, n) => traces.alias('busy', `trace_${n}`, 'a'.repeat(12))));
    expect(await redis.llen(keys.traceAliases('busy'))).toBe(1_000);
    expect(await redis.pttl(keys.traceAliases('busy'))).toBeLessThanOrEqual(3_600_000);
  });

  test('live for an hour, also beside newer ones', async () => {
    const { w3c, prefix, outward } = newTrace();
    await traces.append([spanOf(w3c, 'a', { start: Date.now() - 3_600_001 }), spanOf(w3c, 'b', { start: Date.now() - 3_500_000 })]);
    expect(await namesOf(outward)).toEqual(['b']);
    const left = await redis.pttl(await listOf(prefix));
    expect(left).toBeGreaterThan(3_590_000);
    expect(left).toBeLessThanOrEqual(3_600_000);
  });

  test('are at most 500, the first of them, in one write or in several', async () => {
    const [once, twice] = [newTrace(), newTrace()];
    const many = (w3c: string, count: number) => Array.from({ length: count }, (_, n) => spanOf(w3c, String(n)));
    await traces.append(many(once.w3c, 700));
    await traces.append(many(twice.w3c, 400));
    await traces.append(many(twice.w3c, 400));
    expect(await traces.read(once.outward, me)).toHaveLength(500);
    expect((await namesOf(twice.outward)).slice(398, 402)).toEqual(['398', '399', '0', '1']);
    expect(await traces.read(twice.outward, me)).toHaveLength(500);
  });

  test('of more traces than one step takes are all written', async () => {
    const all = Array.from({ length: 250 }, newTrace);
    await traces.append(all.map(({ w3c }) => spanOf(w3c, 'a')));
    for (const { outward } of all) expect(await namesOf(outward)).toEqual(['a']);
  });

  test.each(['trace_20261121_ffffffffffff', 'trace_unknown', '', 'trace_20261121_00000000000G'])('of %j are none', async (id) => {
    expect(await traces.read(id, me)).toEqual([]);
  });
});

const listsOf = async (tenant: string) =>
  Promise.all(Array.from({ length: traceLists }, async (_, bucket) => redis.lrange(keys.traces(tenant, bucket), 0, -1)));

/** The list that holds the spans of a trace. */
async function listOf(prefix: string): Promise<string> {
  const bucket = (await listsOf('t')).findIndex((held) => held.some((text) => text.includes(prefix)));
  if (bucket < 0) throw new Error('no list has it');
  return keys.traces('t', bucket);
}

test('the keys decide the list, and spans that were written with another key are read', async () => {
  const { w3c, outward } = newTrace();
  await new TraceStore(redis, keys, secrets.toReversed()).append([spanOf(w3c, 'by the old key')]);
  await traces.append([spanOf(w3c, 'by the new key')]);
  expect((await namesOf(outward)).toSorted()).toEqual(['by the new key', 'by the old key']);
  const prefixes = Array.from({ length: 64 }, () => randomBytes(5).toString('hex'));
  await traces.append(prefixes.map((one) => spanOf(`${one}ab${'0'.repeat(20)}`, 'x')));
  // All end with the same two digits, and are spread nevertheless.
  expect((await listsOf('t')).filter((held) => held.some((text) => text.includes('"x"'))).length).toBeGreaterThan(8);
});

test('The oldest spans of a tenant make room for its newest', async () => {
  const [only] = secrets;
  const held = new TraceStore(redis, keys, only ? [only] : []);
  const w3c = `0123456789ff${'0'.repeat(20)}`;
  await held.append([spanOf(w3c, 'first')]);
  const list = await listOf('0123456789ff');
  const others = Array.from({ length: 300 }, newTrace);
  await held.append(others.map((one) => spanOf(one.w3c, 'oldest')));
  const beside = (await redis.lrange(list, 0, -1)).map((text) => String(JSON.parse(text).trace_id)).findLast((id) => id !== w3c) ?? '';
  const other = { outward: `trace_20261121_${beside.slice(0, 12)}` };
  expect(await namesOf(other.outward)).toEqual(['oldest']);
  for (let n = 0; n < 3; n++) await traces.append(Array.from({ length: 1_000 }, (_, index) => spanOf(w3c, `${n} ${index}`)));
  expect(await redis.llen(list)).toBe(2_000);
  expect(await namesOf(other.outward)).toEqual([]);
  expect((await namesOf('trace_20261121_0123456789ff'))[0]).toBe('1 0');
});

describe('tenants', () => {
  const many = (tenant: string | null) => Array.from({ length: 40_000 }, () => spanOf(newTrace().w3c, 'flood', { tenant }));
  const inParts = async (spans: ReturnType<typeof many>) => {
    for (let from = 0; from < spans.length; from += 1_000) await traces.append(spans.slice(from, from + 1_000));
  };

  test('push out no span of another, nor of nobody, nor does nobody', async () => {
    const [one, ofNobody] = [newTrace(), newTrace()];
    await traces.append([spanOf(one.w3c, 'kept', { tenant: 'quiet' }), spanOf(ofNobody.w3c, 'kept', { tenant: null })]);
    await inParts(many('loud'));
    expect(await namesOf(one.outward, 'quiet')).toEqual(['kept']);
    expect(await namesOf(ofNobody.outward, null)).toEqual(['kept']);
    await inParts(many(null));
    expect(await namesOf(one.outward, 'quiet')).toEqual(['kept']);
    for (const held of [...(await listsOf('loud')), ...(await listsOf(''))]) expect(held.length).toBeLessThanOrEqual(2_250);
  });

  test('that join one trace read their own spans alone, and an administrator reads all', async () => {
    const { w3c, outward } = newTrace();
    const spans = ['a', 'b', null].map((tenant) => spanOf(w3c, `of ${tenant}`, { tenant }));
    await traces.append(spans);
    expect(await namesOf(outward, 'a')).toEqual(['of a']);
    expect(await namesOf(outward, 'b')).toEqual(['of b']);
    expect(await namesOf(outward, '')).toEqual(['of null']);
    expect((await namesOf(outward, null)).toSorted()).toEqual(['of a', 'of b', 'of null']);
  });

  test('are known for as long as their spans are, and are noted once a minute by each process', async () => {
    const store = new TraceStore(redis, keys, secrets);
    const { w3c } = newTrace();
    await redis.zadd(keys.traceTenants(), Date.now() - 3_660_001, 'long ago');
    await store.append([spanOf(w3c, 'x', { tenant: 'noted' })]);
    expect(await redis.zscore(keys.traceTenants(), 'long ago')).toBeNull();
    expect(Number(await redis.zscore(keys.traceTenants(), 'noted'))).toBeGreaterThan(Date.now() - 10_000);
    expect(await redis.pttl(keys.traceTenants())).toBeGreaterThan(3_650_000);
    await redis.zrem(keys.traceTenants(), 'noted');
    await store.append([spanOf(w3c, 'x', { tenant: 'noted' })]);
    expect(await redis.zscore(keys.traceTenants(), 'noted')).toBeNull();
  });

  test('have less each where there are very many of them, so that all together have a bound', async () => {
    const { w3c } = newTrace();
    const now = Date.now();
    await redis.zadd(keys.traceTenants(), ...Array.from({ length: 100 }, (_, n) => [now, `one of many ${n}`]).flat());
    const store = new TraceStore(redis, keys, secrets);
    await store.append(Array.from({ length: 700 }, () => spanOf(w3c, 'x', { tenant: 'among many' })));
    const held = (await listsOf('among many')).map(({ length }) => length);
    expect(Math.max(...held)).toBeLessThan(160);
    expect(Math.max(...held)).toBeGreaterThan(100);
    await redis.del(keys.traceTenants());
  });
});
