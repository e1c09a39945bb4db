import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { createEmbedder, embeddingSettings } from './create-embedder.js';

const settings = z.object(embeddingSettings);

test.each([
  [{}, 'hashed-ngrams:v3'],
  [{ EMBEDDING_PROVIDER: 'off' }, undefined],
  [{ EMBEDDING_PROVIDER: 'openai', EMBEDDING_MODEL: 'bge-m3', EMBEDDING_BASE_URL: 'http://localhost:1/v1' }, 'openai-compatible:bge-m3'],
  [{ EMBEDDING_PROVIDER: 'local', EMBEDDING_MODEL: 'Xenova/e5' }, 'local-onnx:Xenova/e5'],
])('%j makes vectors by %s', (env, name) => {
  expect(createEmbedder(settings.parse(env))?.name).toBe(name);
});

test('EMBEDDING_DIMENSION is the length of the vectors', async () => {
  const embedder = createEmbedder(settings.parse({ EMBEDDING_DIMENSION: '64' }));
  expect(await embedder?.dimension()).toBe(64);
  expect((await embedder?.embed(['a'], { kind: 'query' }))?.[0]).toHaveLength(64);
});

test.each([
  [{ EMBEDDING_PROVIDER: 'openai', EMBEDDING_BASE_URL: 'http://localhost:1' }, /openai needs EMBEDDING_MODEL and EMBEDDING_BASE_URL/],
  [{ EMBEDDING_PROVIDER: 'openai', EMBEDDING_MODEL: 'm' }, /openai needs EMBEDDING_MODEL and EMBEDDING_BASE_URL/],
  [{ EMBEDDING_PROVIDER: 'local' }, /local needs EMBEDDING_MODEL, such as/],
])('%j names what is missing', (env, message) => {
  expect(() => createEmbedder(settings.parse(env))).toThrow(message);
});

test.each([
  ['EMBEDDING_PROVIDER', 'cohere'],
  ['EMBEDDING_BASE_URL', 'file:///models'],
  ['EMBEDDING_DIMENSION', '0'],
  ['EMBEDDING_DIMENSION', '16001'],
  ['EMBEDDING_DIMENSION', '2.5'],
])('%s=%s is refused', (name, value) => {
  expect(settings.safeParse({ [name]: value }).error?.issues[0]?.path).toEqual([name]);
});

test.each(['1', '16000'])('EMBEDDING_DIMENSION=%s is allowed', (value) => {
  expect(settings.parse({ EMBEDDING_DIMENSION: value }).EMBEDDING_DIMENSION).toBe(Number(value));
});
