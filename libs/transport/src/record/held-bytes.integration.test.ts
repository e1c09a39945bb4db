// The bytes that a tenant's calls hold in a domain: taken at acceptance, given back when parameters, events and answers go.
import { afterAll, describe, expect, test } from '@jest/globals';
import { domains, type Caller, type Outcome } from '#lib/contracts';
import { ExpiringFiles } from '#lib/files';
import { newNamespace, testRedis } from '#lib/testing';
import { InvocationStore } from './invocation-store.js';
import { dayMs, ending, newCaller, request, storeOn } from './test-invocations.js';
import { partitionOf } from '../redis/partition.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, sealer, files, store } = storeOn(redis, namespace);
const domain = domains.profile;
const hourMs = 3_600_000;
const small = { text: 'x'.repeat(10_000) };

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

const storeWith = (maxTenantBytes: number) => new InvocationStore({ redis, keys, sealer, files, maxTenantBytes });
/** What the count says, and what its hours add up to. */
async function held(caller: Caller): Promise<number> {
  const fields = await redis.hgetall(keys.held(partitionOf('profile'), caller.tenantId));
  const hours = Object.entries(fields).filter(([name]) => /^\d+$/.test(name));
  const sum = hours.reduce((all, [, bytes]) => all + Number(bytes), 0);
  expect(Number(fields['sum'] ?? 0)).toBe(sum);
  return sum;
}
async function accepted(caller: Caller, input: Record<string, unknown> = small, createdAt = Date.now()) {
  const asked = request(caller, { deadline: createdAt + dayMs, head: { input, createdAt } });
  const acceptance = await store.accept(domain, asked);
  if (acceptance.kind !== 'created') throw new Error(acceptance.kind);
  return { jobId: asked.jobId, head: acceptance.head, attempt: null };
}
const outcomeOf = (size: number): Outcome => ({ ok: true, data: { text: 'y'.repeat(size) } });

describe('a call holds', () => {
  test('its parameters while it is open, and its outcome afterwards', async () => {
    const caller = newCaller();
    const job = await accepted(caller);
    const open = await held(caller);
    expect(open).toBeGreaterThan(10_000);
    expect(open).toBeLessThan(15_000);
    await store.finish({ ...job, ending: ending({ outcome: outcomeOf(20_000) }) });
    expect(await held(caller)).toBeGreaterThan(20_000);
    expect(await held(caller)).toBeLessThan(25_000);
  });

  test('its events, from when they are written until its record goes', async () => {
    const caller = newCaller();
    const { jobId, head } = await accepted(caller);
    const before = await held(caller);
    await store.begin(jobId, Date.now());
    await store.attempts.output(jobId, 1, ['z'.repeat(5_000)]);
    expect((await held(caller)) - before).toBeGreaterThan(5_000);
    await store.finish({ jobId, head, ending: ending(), attempt: 1 });
    expect(await held(caller)).toBeGreaterThan(5_000);
    expect(await held(caller)).toBeLessThan(before);
  });

  test('the size of what is in the file store too', async () => {
    const caller = newCaller();
    const job = await accepted(caller, { text: 'x'.repeat(300_000) });
    expect(await held(caller)).toBeGreaterThan(300_000);
    await store.finish({ ...job, ending: ending({ outcome: outcomeOf(200_000) }) });
    expect(await held(caller)).toBeGreaterThan(200_000);
    expect(await held(caller)).toBeLessThan(210_000);
  });

  test('the files that it has made, as long as its record', async () => {
    const caller = newCaller();
    const job = await accepted(caller);
    await store.finish({ ...job, ending: ending(), fileBytes: 3_000_000 });
    expect(await held(caller)).toBeGreaterThan(3_000_000);
    expect(await held(caller)).toBeLessThan(3_010_000);
    await store.forget([job.jobId]);
    expect(await held(caller)).toBe(0);
  });

  test('what is cached of it and its secrets, as long as they live', async () => {
    const caller = newCaller();
    const job = await accepted(caller);
    const cache = { lifeMs: hourMs, entry: { cachedAt: 1, outcome: outcomeOf(7_000) } };
    await store.finish({
      ...job,
      head: { ...job.head, cacheKey: 'c' },
      ending: ending(),
      cache,
      sealed: { text: 's'.repeat(9_000), lifeMs: hourMs },
    });
    expect(await held(caller)).toBeGreaterThan(16_000);
    await store.forget([job.jobId]);
    expect(await held(caller)).toBeLessThan(17_000);
    expect(await held(caller)).toBeGreaterThan(16_000);
  });
});

test('a call that needs about as much afterwards is counted once: its end changes nothing', async () => {
  const caller = newCaller();
  const start = Date.now();
  const asked = request(caller, { deadline: start + 1, head: { input: { text: 'x'.repeat(500) }, createdAt: start } });
  await store.accept(domain, asked);
  const before = await redis.hgetall(keys.held(partitionOf('profile'), caller.tenantId));
  await store.finish({ jobId: asked.jobId, head: asked.head, attempt: null, ending: ending({ finishedAt: start + 1 }) });
  expect(await redis.hgetall(keys.held(partitionOf('profile'), caller.tenantId))).toEqual(before);
  await store.forget([asked.jobId]);
  expect(await held(caller)).toBe(0);
});

describe('bytes are given back', () => {
  test('by calls that are forgotten, once', async () => {
    const caller = newCaller();
    const job = await accepted(caller);
    await store.finish({ ...job, ending: ending() });
    await Promise.all([store.forget([job.jobId]), store.forget([job.jobId])]);
    await store.forget([job.jobId]);
    expect(await held(caller)).toBe(0);
  });

  test('once by a call that several processes end', async () => {
    const [caller, other] = [newCaller(), newCaller()];
    const [job, alone] = [await accepted(caller), await accepted(other)];
    const end = ending({ finishedAt: Date.now() });
    await Promise.all([1, 2, 3].map(() => store.finish({ ...job, ending: end })));
    await store.finish({ ...alone, ending: end });
    expect(Math.abs((await held(caller)) - (await held(other)))).toBeLessThan(10);
  });

  test('at the hour in which the records of a day ago are gone, not before, and without anybody who ends or deletes them', async () => {
    const caller = newCaller();
    const start = Math.floor(Date.now() / hourMs) * hourMs;
    const ended = await accepted(caller, small, start + 1);
    await store.finish({ ...ended, ending: ending({ finishedAt: start + 1, outcome: outcomeOf(30_000) }) });
    // Its worker died, and with it everybody who could have ended it.
    await accepted(caller, small, start + 1);
    const full = await held(caller);
    const at = async (now: number) => {
      const tiny = await accepted(caller, {}, now);
      const sum = await held(caller);
      await store.forget([tiny.jobId]);
      return sum;
    };
    expect(await at(start + dayMs + hourMs - 1)).toBeGreaterThan(full);
    expect(await at(start + dayMs + hourMs)).toBeLessThan(full - 30_000);
    expect(await at(start + 2 * dayMs + hourMs)).toBeLessThan(5_000);
  });

  test('by a count that was wrong: it is made anew in the next hour', async () => {
    const caller = newCaller();
    const now = Date.now();
    await accepted(caller, small, now);
    const right = await held(caller);
    await redis.hincrby(keys.held(partitionOf('profile'), caller.tenantId), 'sum', 1_000_000);
    await accepted(caller, small, now + hourMs);
    expect(Math.abs((await held(caller)) - 2 * right)).toBeLessThan(10);
  });
});

describe('a tenant that holds as much as it may', () => {
  test('is refused with the figures, while others and its other domains are not; what has gone makes room', async () => {
    const [caller, neighbour] = [newCaller(), newCaller()];
    const bounded = storeWith(32_000);
    const first = request(caller, { head: { input: small } });
    const acceptance = await bounded.accept(domain, first);
    expect(await bounded.accept(domain, request(caller, { head: { input: small } }))).toMatchObject({ kind: 'created' });
    const usedBytes = await held(caller);
    const refused = await bounded.accept(domain, request(caller, { head: { input: small } }));
    expect(refused).toEqual({ kind: 'tenant-full', usedBytes, neededBytes: usedBytes / 2, maxBytes: 32_000 });
    expect(await held(caller)).toBe(usedBytes);
    expect(await bounded.accept(domain, request(neighbour, { head: { input: small } }))).toMatchObject({ kind: 'created' });

    if (acceptance.kind !== 'created') throw new Error(acceptance.kind);
    await bounded.finish({ jobId: first.jobId, head: acceptance.head, ending: ending(), attempt: null });
    expect(await bounded.accept(domain, request(caller, { head: { input: small } }))).toMatchObject({ kind: 'created' });
  });

  test('cannot pass the limit with calls at the same time', async () => {
    const caller = newCaller();
    const bounded = storeWith(100_000);
    const all = await Promise.all(Array.from({ length: 40 }, () => bounded.accept(domain, request(caller, { head: { input: small } }))));
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(['created', 'tenant-full']));
    expect(await held(caller)).toBeLessThanOrEqual(100_000);
    expect(await held(caller)).toBeGreaterThan(85_000);
  });

  test('is refused before large parameters are written to the file store', async () => {
    const caller = newCaller();
    const bounded = new InvocationStore({
      redis,
      keys,
      sealer,
      files: new ExpiringFiles(() => Promise.reject(new Error('used'))),
      maxTenantBytes: 50_000,
    });
    await bounded.accept(domain, request(caller, { head: { input: small } }));
    const asked = request(caller, { head: { input: { text: 'x'.repeat(100_000) } } });
    expect(await bounded.accept(domain, asked)).toMatchObject({ kind: 'tenant-full', maxBytes: 50_000 });
  });

  test('still gets answers that need no bytes: those of an idempotency key', async () => {
    const caller = newCaller();
    const first = request(caller, { idempotencyKey: 'k', head: { input: small } });
    await storeWith(15_000).accept(domain, first);
    expect(await storeWith(15_000).accept(domain, request(caller, { idempotencyKey: 'k', head: { input: small } }))).toEqual({
      kind: 'replayed',
      jobId: first.jobId,
    });
  });
});

describe('the events of one call', () => {
  test('have a bound: output beyond it is refused, progress is skipped, a retry and the end are written', async () => {
    const caller = newCaller();
    const { jobId, head } = await accepted(caller);
    await store.begin(jobId, Date.now());
    const megabyte = 'z'.repeat(1_000_000);
    for (let n = 0; n < 4; n++) await store.attempts.output(jobId, 1, [megabyte]);
    await expect(store.attempts.output(jobId, 1, [megabyte])).rejects.toThrow(RangeError);
    const full = (await store.read(jobId))?.lastSeq;
    await store.attempts.output(jobId, 1, ['z'.repeat(190_000)]);
    expect(await store.attempts.progress(jobId, 1, { kind: 'progress', progress: 70, message: 'm'.repeat(10_000) })).toBe(true);
    expect(await store.read(jobId)).toMatchObject({ lastSeq: (full ?? 0) + 1, progress: { progress: 70 } });
    const error = { code: 'C', message: 'e'.repeat(10_000) };
    const event = { kind: 'retry', failure: 'network', retry: 1, maxRetries: 1, delayMs: 1, error } as const;
    expect(await store.attempts.retry(jobId, 1, { event, spent: {} })).toBe(true);
    expect(await store.finish({ jobId, head, ending: ending(), attempt: null })).toBe('ended');
    expect(await redis.memory('USAGE', keys.events(jobId))).toBeLessThan(6_000_000);
  });
});
