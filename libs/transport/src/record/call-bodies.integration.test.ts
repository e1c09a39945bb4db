// What of a call is too large for Redis, and what is left of a call that has ended.
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { domains, type Outcome } from '#lib/contracts';
import { ExpiringFiles, openDisk } from '#lib/files';
import { newNamespace, testRedis } from '#lib/testing';
import { FileStoreError } from './bodies.js';
import { InvocationStore } from './invocation-store.js';
import { dayMs, ending, newCaller, request, storeOn } from './test-invocations.js';
import { partitionOf } from '../redis/partition.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, sealer, files, store } = storeOn(redis, namespace);
const domain = domains.profile;
const folder = join(tmpdir(), `invoq-${namespace}`);

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

const filesOf = (jobId: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith(jobId))
    .map(({ name }) => name);
const large = (mark: string) => ({ text: mark.repeat(80_000), user_id: 'u1', options: { deep: true } });
const outcomeOf = (mark: string): Outcome => ({ ok: true, data: { text: mark.repeat(80_000) }, message: 'Done' });
async function running(input: Record<string, unknown>, rest: Parameters<typeof request>[1] = {}) {
  const asked = request(newCaller(), { ...rest, head: { ...rest.head, input } });
  await store.accept(domain, asked);
  const begun = await store.begin(asked.jobId, Date.now());
  if (begun.kind !== 'begun') throw new Error(begun.kind);
  return { jobId: asked.jobId, head: begun.head, attempt: begun.attempt };
}
/** A store of files that is not there, until it is. */
function lostFiles() {
  const state = { away: true };
  const lost = new ExpiringFiles(async () => openDisk({ FILES_DIR: '/dev/null/files', FILES_S3_REGION: 'none' }));
  const switching = Object.create(files, {
    put: { value: async (...args: Parameters<ExpiringFiles['put']>) => (state.away ? lost : files).put(...args) },
    get: { value: async (key: string) => (state.away ? lost : files).get(key) },
  }) as ExpiringFiles;
  return { state, files: switching };
}

describe('parameters of more than 64 KB', () => {
  test('are a file that nobody can read without our keys, and come back to the worker', async () => {
    const { jobId, head } = await running(large('請'));
    expect(await redis.memory('USAGE', keys.invocation(jobId))).toBeLessThan(4_000);
    expect(head.input).toEqual({ user_id: 'u1' });
    expect(filesOf(jobId)).toHaveLength(1);
    expect(await files.get(head.body?.key ?? '')).not.toContain('請');
    expect(await store.parametersOf(head)).toEqual(large('請'));
  });

  test.each([
    [65_536 - '{"text":""}'.length, 0],
    [65_537 - '{"text":""}'.length, 1],
  ])('begin at 65,537: with a text of %i there are %i files', async (length, count) => {
    const { jobId, head } = await running({ text: 'x'.repeat(length) });
    expect(filesOf(jobId)).toHaveLength(count);
    expect(await store.parametersOf(head)).toEqual({ text: 'x'.repeat(length) });
  });

  test('go with the end, and at once when the call is not accepted', async () => {
    const { jobId, head, attempt } = await running(large('a'));
    await store.finish({ jobId, head, ending: ending(), attempt });
    expect(filesOf(jobId)).toEqual([]);
    const [first, again] = [request(newCaller(), { idempotencyKey: 'k', head: { input: large('a') } }), newCaller()];
    await store.accept(domain, first);
    const second = request(first.head.caller, { idempotencyKey: 'k', head: { input: large('a') } });
    expect(await store.accept(domain, second)).toMatchObject({ kind: 'replayed', jobId: first.jobId });
    expect(filesOf(second.jobId)).toEqual([]);
    const bounded = new InvocationStore({ redis, keys, sealer, files, maxTenantBytes: 50_000 });
    const refused = request(again, { head: { input: large('a') } });
    expect(await bounded.accept(domain, refused)).toMatchObject({ kind: 'tenant-full' });
    expect(filesOf(refused.jobId)).toEqual([]);
  });

  test('that cannot be stored are an error before anything is accepted', async () => {
    const asked = request(newCaller(), { head: { input: large('a') } });
    const poor = new InvocationStore({ redis, keys, sealer, files: lostFiles().files });
    await expect(poor.accept(domain, asked)).rejects.toThrow(FileStoreError);
    expect(await store.read(asked.jobId)).toBeNull();
    expect(await redis.exists(keys.held(partitionOf('profile'), asked.head.caller.tenantId))).toBe(0);
  });

  test('of another call are not taken for those of this one', async () => {
    const [one, other] = [await running(large('a')), await running(large('b'))];
    const stolen = await files.get(other.head.body?.key ?? '');
    const key = await files.put('elsewhere', stolen, Date.now() + dayMs);
    await expect(store.parametersOf({ ...one.head, body: { key, bytes: 1 } })).rejects.toThrow();
  });
});

describe('an outcome of more than 64 KB', () => {
  test('is a file, and is read by whoever reads the record, as what is cached of it', async () => {
    const { jobId, head, attempt } = await running({});
    const outcome = outcomeOf('答');
    const cached = { ...head, cacheKey: `large-${jobId}` };
    const cache = { lifeMs: 60_000, entry: { cachedAt: Date.now(), outcome } };
    await store.finish({ jobId, head: cached, ending: ending({ outcome }), attempt, cache });
    expect(await redis.memory('USAGE', keys.invocation(jobId))).toBeLessThan(4_000);
    const stored = (await store.read(jobId))?.ending;
    if (!stored) throw new Error('not ended');
    expect(stored.outcome).toEqual({ ok: true, data: null });
    expect(await store.outcomeOf(stored)).toEqual(outcome);
    const hit = await store.accept(domain, request(head.caller, { readCache: true, head: { cacheKey: `large-${jobId}` } }));
    if (hit.kind !== 'cached') throw new Error(hit.kind);
    expect(await store.outcomeOf(hit.entry)).toEqual(outcome);
    await store.forget([jobId]);
    await expect(store.outcomeOf(stored)).rejects.toMatchObject({ name: 'FileStoreError', gone: true });
  });

  test('that is an error keeps its code beside the record', async () => {
    const { jobId, head, attempt } = await running({});
    const error = { code: 'C', family: 'INVALID_PARAMS', message: 'm', details: [{ path: 'a', message: 'x'.repeat(90_000) }] } as const;
    await store.finish({ jobId, head, ending: ending({ state: 'failed', outcome: { ok: false, error } }), attempt });
    const stored = (await store.read(jobId))?.ending;
    expect(stored?.outcome).toMatchObject({ ok: false, error: { code: 'C', family: 'INVALID_PARAMS', message: 'm' } });
    expect(stored && (await store.outcomeOf(stored))).toEqual({ ok: false, error });
  });

  test('of the run that comes second leaves no file, and the first one’s stays', async () => {
    const { jobId, head, attempt } = await running({});
    await Promise.all(
      ['a', 'b', 'c'].map(async (mark) => store.finish({ jobId, head, ending: ending({ outcome: outcomeOf(mark) }), attempt })),
    );
    expect(filesOf(jobId)).toHaveLength(1);
    const stored = (await store.read(jobId))?.ending;
    expect(stored && (await store.outcomeOf(stored))).toMatchObject({ ok: true, message: 'Done' });
  });

  test('waits for a file store that is away; the call ends as it was', async () => {
    const { jobId, head, attempt } = await running({});
    const { state, files: switching } = lostFiles();
    const worker = new InvocationStore({ redis, keys, sealer, files: switching, retriesRefusedWrites: true });
    const finished = worker.finish({ jobId, head, ending: ending({ outcome: outcomeOf('a') }), attempt });
    expect(await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, 700, 'waiting'))])).toBe('waiting');
    expect((await store.read(jobId))?.ending).toBeNull();
    state.away = false;
    expect(await finished).toBe('ended');
  });

  test('waits no longer than for the end that somebody else writes', async () => {
    const { jobId, head, attempt } = await running({});
    const worker = new InvocationStore({ redis, keys, sealer, files: lostFiles().files, retriesRefusedWrites: true });
    const finished = worker.finish({ jobId, head, ending: ending({ outcome: outcomeOf('a') }), attempt });
    await store.finish({ jobId, head, ending: ending({ state: 'cancelled' }), attempt: null });
    expect(await finished).toBe('ended-before');
    expect((await store.read(jobId))?.state).toBe('cancelled');
  });
});

describe('secrets of more than 64 KB', () => {
  test('are a file until they are handed out, and gone with their time', async () => {
    const { jobId, head, attempt } = await running({});
    const text = 's'.repeat(100_000);
    await store.finish({
      jobId,
      head,
      ending: ending({ outcome: { ok: true, data: null, sealed: true } }),
      attempt,
      sealed: { text, lifeMs: 60_000 },
    });
    const stored = (await store.read(jobId))?.ending;
    const terms = { once: true, joinableMs: 0, secrets: stored?.secrets };
    expect([await store.claim(jobId, terms), await store.claim(jobId, terms)]).toEqual([text, null]);
  });
});

describe('a call that has ended', () => {
  test('has no large parameters any more, in the record, the queue and the files', async () => {
    const word = `parameter-of-old${'x'.repeat(4_096)}`;
    const { jobId, head, attempt } = await running({ word });
    await redis.hset(keys.job(jobId), 'data', JSON.stringify({ input: { word } }));
    await store.finish({ jobId, head, ending: ending(), attempt });
    const texts = await Promise.all([redis.hgetall(keys.invocation(jobId)), redis.hgetall(keys.job(jobId))]);
    expect(JSON.stringify(texts)).not.toContain('parameter-of-old');
    expect(await store.read(jobId)).toMatchObject({ head: { tool: 'calc_metrics', input: {}, inputGone: true } });
    expect(await redis.hget(keys.job(jobId), 'data')).toBe(
      JSON.stringify({ trace_id: 'trace_x', tenant: head.caller.tenantId, user: 'u' }),
    );
  });

  test('keeps small parameters in the record alone, for those who look at it', async () => {
    const { jobId, head, attempt } = await running({ word: 'small' });
    await redis.hset(keys.job(jobId), 'data', JSON.stringify({ input: { word: 'small' } }));
    await store.finish({ jobId, head, ending: ending(), attempt });
    expect((await store.read(jobId))?.head).toMatchObject({ input: { word: 'small' } });
    expect((await store.read(jobId))?.head.inputGone).toBeUndefined();
    expect(JSON.stringify(await redis.hgetall(keys.job(jobId)))).not.toContain('small');
  });

  test('keeps the question that its answer is reviewed against, where a review was asked for', async () => {
    const wishes = { debug: false, metacognition: true, inline_files: true };
    const { jobId, head, attempt } = await running({ query: 'why?', other: 'x'.repeat(4_096) }, { head: { wishes } });
    await store.finish({ jobId, head, ending: ending(), attempt });
    expect((await store.read(jobId))?.head.input).toEqual({ query: 'why?' });
  });

  test('that no queue knows gets no job', async () => {
    const { jobId, head, attempt } = await running({});
    await store.finish({ jobId, head, ending: ending(), attempt });
    expect(await redis.exists(keys.job(jobId))).toBe(0);
  });
});

test('files of calls are removed when their hour is over, also those that nobody refers to', async () => {
  const { jobId } = await running(large('a'));
  await files.removeExpired(Date.now() + 2 * dayMs);
  expect(filesOf(jobId)).toHaveLength(1);
  await files.removeExpired(Date.now() + 2 * dayMs + 3 * 3_600_000);
  expect(filesOf(jobId)).toEqual([]);
});
