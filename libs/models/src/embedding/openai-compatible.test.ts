import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { EmbeddingError } from './embedder.js';
import { hashedNgrams } from './hashed-ngrams.js';
import { localOnnx } from './local-onnx.js';
import { openAiCompatible } from './openai-compatible.js';

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return (a ?? new Float32Array()).reduce((sum, value, at) => sum + value * (b?.[at] ?? 0), 0);
}

describe('hashed n-grams', () => {
  test('are of length one, the same each time, and near for forms and slips of the same words', async () => {
    const embedder = hashedNgrams();
    const [one, slip, form, other] = await embedder.embed(
      ['protein for muscles', 'protien for muscles', 'proteins and muscle', '睡眠不足'],
      {
        kind: 'document',
      },
    );
    expect(one).toHaveLength(await embedder.dimension());
    expect(cosine(one, one)).toBeCloseTo(1, 5);
    expect(cosine(one, slip)).toBeGreaterThan(0.5);
    expect(cosine(one, form)).toBeGreaterThan(0.5);
    expect(Math.abs(cosine(one, other))).toBeLessThan(0.2);
    expect((await hashedNgrams().embed(['protein for muscles'], { kind: 'document' }))[0]).toEqual(one);
    // Of a question what anybody says counts little, and the order of the words nothing.
    const [asked] = await embedder.embed(['what is the best protein for my muscles, please tell me'], { kind: 'query' });
    expect(cosine(one, asked)).toBeGreaterThan(0.8);
  });
});

describe('an OpenAI-compatible provider', () => {
  const asked: { url: string | undefined; authorization: string | undefined; body: unknown }[] = [];
  let answer: { status: number; body: unknown } = { status: 200, body: {} };

  async function bodyOf(request: IncomingMessage): Promise<unknown> {
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += String(part);
    return JSON.parse(text);
  }

  async function withServer(work: (baseUrl: string) => Promise<void>): Promise<void> {
    const server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        asked.push({ url: request.url, authorization: request.headers.authorization, body });
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    try {
      await work(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1/`);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }

  test('is asked as the protocol says, and its vectors come back in order and of length one', async () => {
    await withServer(async (baseUrl) => {
      answer = {
        status: 200,
        body: {
          data: [
            { index: 1, embedding: [0, 2] },
            { index: 0, embedding: [3, 4] },
          ],
        },
      };
      const embedder = openAiCompatible({ baseUrl, model: 'bge-m3', apiKey: 'secret' });
      const vectors = await embedder.embed(['a', 'b'], { kind: 'document' });
      expect(vectors.map((vector) => Array.from(vector, (value) => Math.round(value * 10) / 10))).toEqual([
        [0.6, 0.8],
        [0, 1],
      ]);
      expect(asked.at(-1)).toMatchObject({
        url: '/v1/embeddings',
        authorization: 'Bearer secret',
        body: { model: 'bge-m3', input: ['a', 'b'] },
      });
      answer = { status: 200, body: { data: [{ index: 0, embedding: [1, 0, 0] }] } };
      expect(await embedder.dimension()).toBe(3);
    });
  });

  test('that is wrong, away or refuses is an EmbeddingError that names it and no secret', async () => {
    await withServer(async (baseUrl) => {
      const embedder = openAiCompatible({ baseUrl, model: 'm', apiKey: 'secret' });
      for (const wrong of [
        { status: 500, body: {} },
        { status: 401, body: { error: 'bad key secret' } },
        { status: 200, body: { data: [] } },
        { status: 200, body: 'no' },
      ]) {
        answer = wrong;
        const failed: unknown = await embedder.embed(['a'], { kind: 'query' }).catch((error: unknown) => error);
        expect(failed).toBeInstanceOf(EmbeddingError);
        expect(String(failed)).toContain(new URL(baseUrl).host);
        expect(String(failed)).not.toContain('secret');
      }
    });
    const away = openAiCompatible({ baseUrl: 'http://127.0.0.1:1/v1', model: 'm', timeoutMs: 500 });
    await expect(away.embed(['a'], { kind: 'query' })).rejects.toThrow(/no answer/);
    await expect(away.dimension()).rejects.toThrow(EmbeddingError);
  });
});

test('a local model that is not there says so, and is looked for again', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-models-'));
  const embedder = localOnnx({ model: 'none/such', directory: folder.path });
  for (let attempt = 0; attempt < 2; attempt++) await expect(embedder.dimension()).rejects.toThrow(/none\/such|@huggingface\/transformers/);
});
