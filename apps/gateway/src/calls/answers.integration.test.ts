import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { defineTool, secret, type Caller, type ToolContract } from '#lib/contracts';
import { newNamespace, testRedis } from '#lib/testing';
import { type EndedCall } from '#lib/transport';
import type { Answer } from './answer.js';
import { startCalls, type TestCalls } from './test-calls.js';
import { newCaller } from './test-request.js';
import { plain } from './test-tools.js';

const namespace = newNamespace();
let redis: Redis & AsyncDisposable;
let gateway: TestCalls;

/** Gives out a link that is a secret: with `once`, to one reader. */
const linkTool = (name: string, secretLife: ToolContract['secretLife']) =>
  defineTool({
    ...plain,
    name,
    aliases: [],
    output: z.strictObject({ link: secret(z.string()), note: z.string() }),
    errors: {},
    ...(secretLife && { secretLife }),
    examples: [{ input: { order: 'a' }, output: { link: 'https://x.test/', note: 'n' } }],
  });
const fileFacts = { file_id: 'file_a' };
const lasting = linkTool('test_lasting', undefined);
const once = linkTool('test_once', { ms: 60_000, once: true });
const file = defineTool({
  ...plain,
  name: 'test_file',
  aliases: [],
  output: z.looseObject({ file_id: z.string(), url: secret(z.url()), expires_at: z.string() }),
  errors: {},
  examples: [{ input: { order: 'a' }, output: { ...fileFacts, url: 'https://x.test/', expires_at: '2026-11-22T00:00:00Z' } }],
});
const secretData = { link: 'https://x.test/very-secret', note: 'open' };

beforeAll(async () => {
  redis = testRedis(namespace);
  gateway = await startCalls({ redis, namespace }, { contracts: [lasting, once, file, plain] });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

/** A call that a worker ended with a sealed link. */
async function sealed(contract: ToolContract, caller: Caller, answer: object = secretData): Promise<EndedCall> {
  using call = await gateway.calls.start(gateway.request({ tool: contract.name, caller }));
  const jobId = call.jobId ?? '';
  const begun = await gateway.store.begin(jobId, Date.now());
  if (begun.kind !== 'begun') throw new Error(begun.kind);
  const { data } = gateway.sealer.sealData(contract, answer, { jobId, caller });
  const times = { startedAt: Date.now(), finishedAt: Date.now(), attempts: 1, executionMs: 1, networkMs: 0 };
  const ending = { state: 'completed', outcome: { ok: true, data: null, sealed: true }, ...times } as const;
  await gateway.store.finish({ jobId, head: begun.head, ending, attempt: 1, sealed: { text: JSON.stringify(data), lifeMs: 60_000 } });
  return { jobId, head: begun.head, ending };
}

const dataOf = ({ outcome }: Answer) => (outcome.ok ? outcome.data : outcome.error.code);

describe('secrets of an outcome', () => {
  test('are opened for their own caller, as often as he reads', async () => {
    const caller = newCaller();
    const ended = await sealed(lasting, caller);
    for (let turn = 0; turn < 3; turn++) expect(dataOf(await gateway.answers.ofEnded(ended, caller))).toEqual(secretData);
  });

  test('that are given out once are opened for one of many readers at the same time', async () => {
    const caller = newCaller();
    const ended = await sealed(once, caller);
    const read = await Promise.all(Array.from({ length: 5 }, () => gateway.answers.ofEnded(ended, caller)));
    expect(read.map(dataOf).filter((data) => data !== 'RESULT_CONSUMED')).toEqual([secretData]);
    expect(dataOf(await gateway.answers.ofEnded(ended, caller))).toBe('RESULT_CONSUMED');
  });

  test('stay closed for an administrator, another user and a list, and are not used up by them', async () => {
    const caller = newCaller();
    const ended = await sealed(once, caller);
    const foreign = [newCaller({ scopes: ['admin'] }), { ...caller, userId: 'another' }, { ...caller, tenantId: 'another' }];
    for (const reader of foreign) expect(dataOf(await gateway.answers.ofEnded(ended, reader))).toEqual({ sealed: true });
    expect(dataOf(await gateway.answers.ofListed(ended))).toEqual({ sealed: true });
    expect(dataOf(await gateway.answers.ofEnded(ended, caller))).toEqual(secretData);
  });

  test('are gone when their time is over', async () => {
    const caller = newCaller();
    const ended = await sealed(lasting, caller);
    await redis.unlink(gateway.keys.sealed(ended.jobId));
    expect(dataOf(await gateway.answers.ofEnded(ended, caller))).toBe('RESULT_CONSUMED');
  });

  test('stand nowhere in Redis in clear text', async () => {
    const caller = newCaller();
    const { jobId } = await sealed(lasting, caller);
    const texts = await Promise.all([redis.get(gateway.keys.sealed(jobId)), redis.hgetall(gateway.keys.invocation(jobId))]);
    expect(JSON.stringify(texts)).not.toContain('very-secret');
  });
});

describe('the link to a file', () => {
  const hourMs = 3_600_000;
  const endsAt = Math.ceil(Date.now() / 1_000) * 1_000 + hourMs;
  const stored = { id: 'file_a', visibility: 'private', expiresAt: new Date(endsAt) } as const;
  const calledBy = async (caller: Caller, visibility: 'private' | 'public' = 'private') => {
    const terms = { publicUrl: 'https://tools.example.com/invoq', ttlMs: 2 * hourMs, now: Date.now(), maker: caller };
    const { url, expiresAt } = gateway.links.linkTo({ ...stored, visibility }, terms);
    return { url, ended: await sealed(file, caller, { ...fileFacts, url, expires_at: expiresAt.toISOString() }) };
  };
  const readBy = async (ended: EndedCall, reader: Caller) => {
    const { url, expires_at } = z
      .looseObject({ url: z.string(), expires_at: z.string() })
      .parse(dataOf(await gateway.answers.ofEnded(ended, reader)));
    const { origin, pathname, searchParams } = new URL(url);
    const [expires = '', key = '', signature = ''] = ['expires', 'key', 'signature'].map((name) => searchParams.get(name) ?? '');
    const state = gateway.links.verify('file_a', { expires, key, signature }, Date.now());
    return { url, place: origin + pathname, key, state, endsAt: Number(expires) * 1_000, expires_at };
  };

  test('stays as it is for the credential that made the call', async () => {
    const caller = newCaller();
    const { ended, url } = await calledBy(caller);
    expect(await readBy(ended, caller)).toMatchObject({ url, state: 'valid', key: caller.credentialId });
  });

  test('is one of the reader who has another key, and ends no later than before', async () => {
    const caller = newCaller();
    const { ended } = await calledBy(caller);
    expect(await readBy(ended, { ...caller, credentialId: 'another' })).toMatchObject({
      place: 'https://tools.example.com/invoq/files/file_a',
      state: 'valid',
      key: 'another',
      endsAt,
      expires_at: new Date(endsAt).toISOString(),
    });
  });

  test('ends with the token of its reader, and is bound to no key then', async () => {
    const caller = newCaller();
    const { ended } = await calledBy(caller);
    const credentialEndsAt = endsAt - hourMs / 2;
    const reader = { ...caller, credentialId: 'jwt:t/u', credentialEndsAt };
    expect(await readBy(ended, reader)).toMatchObject({ state: 'valid', key: '', endsAt: credentialEndsAt });
  });

  test('of a public file is the same for everybody', async () => {
    const caller = newCaller();
    const { ended, url } = await calledBy(caller, 'public');
    expect(await readBy(ended, { ...caller, credentialId: 'another' })).toMatchObject({ url, key: '' });
  });
});

describe('the times of an answer', () => {
  const ended = (ending: Partial<EndedCall['ending']>): EndedCall => ({
    jobId: 'inv_profile_1',
    head: {
      v: 1,
      tool: 'test_plain',
      version: '1.2.0',
      input: {},
      caller: newCaller(),
      sessionId: null,
      traceId: 'trace_1',
      traceparent: '',
      createdAt: 1_000,
      validationMs: 0.25,
      maxAttempts: 1,
      retry: true,
      flightKey: null,
      cacheKey: null,
    },
    ending: {
      state: 'completed',
      outcome: { ok: true, data: {} },
      startedAt: 1_040,
      finishedAt: 1_100,
      attempts: 2,
      executionMs: 20,
      networkMs: 5.5,
      ...ending,
    },
  });

  test('add up from the record', async () => {
    expect((await gateway.answers.ofListed(ended({}))).facts).toMatchObject({
      timestamp: 1_100,
      executionMs: 20,
      attempts: 2,
      performance: { validation_ms: 0.25, queue_ms: 40, network_ms: 5.5, processing_ms: 14.5, total_ms: 100.25 },
    });
  });

  test('of a call that never started count its whole life as waiting', async () => {
    expect((await gateway.answers.ofListed(ended({ startedAt: null, executionMs: 0, networkMs: 0 }))).facts.performance).toMatchObject({
      queue_ms: 100,
      processing_ms: 0,
    });
  });

  test('are never negative, though clocks of two machines differ', async () => {
    const { performance } = (await gateway.answers.ofListed(ended({ startedAt: 900, finishedAt: 902, executionMs: 1, networkMs: 3 })))
      .facts;
    expect(performance).toMatchObject({ queue_ms: 0, processing_ms: 0, total_ms: 1.25 });
  });
});
