import { expect, test } from '@jest/globals';
import { cutAnswer, jsonAnswer, startScriptedServer, type ScriptedAnswer } from '#lib/testing';
import { ProviderError } from '../provider-error.js';
import { openAiCompatible } from './openai-compatible.js';

const vectors = (...embeddings: readonly (readonly number[])[]): ScriptedAnswer =>
  jsonAnswer(200, { data: embeddings.map((embedding, index) => ({ index, embedding })) });
const rounded = (found: readonly Float32Array[]) => found.map((vector) => Array.from(vector, (value) => Math.round(value * 10) / 10));
const bodies = (server: { readonly requests: readonly { readonly body: string }[] }) =>
  server.requests.map(({ body }): Readonly<Record<string, unknown>> => JSON.parse(body));

test('a provider is asked as the protocol says, and its vectors come back in order and of length one', async () => {
  const answer = {
    data: [
      { index: 1, embedding: [0, 2] },
      { index: 0, embedding: [3, 4] },
    ],
  };
  await using server = await startScriptedServer(jsonAnswer(200, answer));
  const embedder = openAiCompatible({ baseUrl: `${server.url}/v1/`, model: 'bge-m3', apiKey: 'secret' });
  expect(rounded(await embedder.embed(['a', 'b'], { kind: 'document' }))).toEqual([
    [0.6, 0.8],
    [0, 1],
  ]);
  expect(server.requests).toMatchObject([{ method: 'POST', url: '/v1/embeddings', headers: { authorization: 'Bearer secret' } }]);
  expect(bodies(server)).toEqual([{ model: 'bge-m3', input: ['a', 'b'], encoding_format: 'float' }]);
});

test('many texts are asked for in batches of 64', async () => {
  const batch = (count: number) => vectors(...Array.from({ length: count }, (_, n) => [n + 1, 0]));
  await using server = await startScriptedServer(batch(64), batch(64), batch(2));
  const embedder = openAiCompatible({ baseUrl: server.url, model: 'm' });
  const texts = Array.from({ length: 130 }, (_, n) => `text ${n}`);
  expect(await embedder.embed(texts, { kind: 'document' })).toHaveLength(130);
  expect(bodies(server).flatMap(({ input }) => input)).toEqual(texts);
  expect(server.requests.some(({ headers }) => 'authorization' in headers)).toBe(false);
});

test('the dimension is that of the settings, else that of a first vector, which is asked for again after a failure', async () => {
  await using server = await startScriptedServer(vectors([1, 0]), cutAnswer, vectors([1, 0, 0]));
  const shortened = openAiCompatible({ baseUrl: server.url, model: 'm', dimension: 2 });
  expect(await shortened.dimension()).toBe(2);
  expect(server.requests).toHaveLength(0);
  await shortened.embed(['a'], { kind: 'query' });
  expect(bodies(server)[0]).toMatchObject({ dimensions: 2 });
  const whole = openAiCompatible({ baseUrl: server.url, model: 'm' });
  await expect(whole.dimension()).rejects.toThrow(ProviderError);
  expect([await whole.dimension(), await whole.dimension()]).toEqual([3, 3]);
  expect(server.requests).toHaveLength(3);
});

test.each([
  ['refuses', jsonAnswer(401, { error: 'bad key secret' }), /answered 401/],
  ['fails', jsonAnswer(500, {}), /answered 500/],
  ['gives no vector', jsonAnswer(200, { data: [] }), /something else than 1 vectors/],
  ['gives too many vectors', vectors([1], [2]), /something else than 1 vectors/],
  ['gives no JSON', (response) => void response.writeHead(200).end('no'), /something else than 1 vectors/],
  ['breaks off', cutAnswer, /gave no answer/],
] satisfies readonly (readonly [string, ScriptedAnswer, RegExp])[])(
  'a provider that %s is a ProviderError that names it and no secret',
  async (_what, answer, message) => {
    await using server = await startScriptedServer(answer);
    const embedder = openAiCompatible({ baseUrl: server.url, model: 'm', apiKey: 'secret' });
    const failed: unknown = await embedder.embed(['a'], { kind: 'query' }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ProviderError);
    expect(String(failed)).toMatch(message);
    expect(String(failed)).toContain(new URL(server.url).host);
    expect(String(failed)).not.toContain('secret');
  },
);

test('a provider that does not answer is given up after the time limit, or when the caller gives up', async () => {
  const never: ScriptedAnswer = () => undefined;
  await using server = await startScriptedServer(never, never);
  const slow = openAiCompatible({ baseUrl: server.url, model: 'm', timeoutMs: 20 });
  await expect(slow.embed(['a'], { kind: 'query' })).rejects.toThrow(/gave no answer/);
  const patient = openAiCompatible({ baseUrl: server.url, model: 'm', timeoutMs: 60_000 });
  const controller = new AbortController();
  const asked = patient.embed(['a'], { kind: 'query', signal: controller.signal });
  controller.abort();
  await expect(asked).rejects.toThrow(/gave no answer/);
});

test('an answer that is too large is refused, though its status is good', async () => {
  const padded = jsonAnswer(200, { data: [{ index: 0, embedding: [1, 0] }], padding: ' '.repeat(33 * 1024 * 1024) });
  await using server = await startScriptedServer(padded, vectors([1, 0]));
  const embedder = openAiCompatible({ baseUrl: server.url, model: 'm' });
  await expect(embedder.embed(['a'], { kind: 'document' })).rejects.toThrow(ProviderError);
  expect(await embedder.embed(['a'], { kind: 'document' })).toHaveLength(1);
});
