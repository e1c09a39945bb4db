import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../provider-error.js';
import { openAiCompatible } from './openai-compatible.js';

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

  test('that is wrong, away or refuses is an ProviderError that names it and no secret', async () => {
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
        expect(failed).toBeInstanceOf(ProviderError);
        expect(String(failed)).toContain(new URL(baseUrl).host);
        expect(String(failed)).not.toContain('secret');
      }
    });
    const away = openAiCompatible({ baseUrl: 'http://127.0.0.1:1/v1', model: 'm', timeoutMs: 500 });
    await expect(away.embed(['a'], { kind: 'query' })).rejects.toThrow(/no answer/);
    await expect(away.dimension()).rejects.toThrow(ProviderError);
  });
});
