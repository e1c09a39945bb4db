import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { AnswerTooLarge, boundedFetch, boundedResponse } from './bounded-fetch.js';

const maxBytes = 65_536;
const fetchBounded = boundedFetch(maxBytes);
const encoders = {
  identity: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => gzipSync(bytes),
  deflate: (bytes: Buffer) => deflateSync(bytes),
  // Its default quality takes a second for each body.
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  'gzip, gzip': (bytes: Buffer) => gzipSync(gzipSync(bytes)),
};

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    server,
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe.each(Object.entries(encoders))('an answer encoded as %s', (encoding, encode) => {
  test.each(['with a length', 'in chunks'])('is bounded by its decoded size %s', async (framing) => {
    const answerOf = async (size: number) => {
      const body = encode(Buffer.alloc(size, 'x'));
      await using served = await serve((_request, response) => {
        response.setHeader('content-encoding', encoding);
        if (framing === 'with a length') response.setHeader('content-length', body.length);
        response.write(body);
        response.end();
      });
      return (await fetchBounded(served.url)).text();
    };
    expect(await answerOf(maxBytes)).toHaveLength(maxBytes);
    await expect(answerOf(maxBytes + 1)).rejects.toThrow(AnswerTooLarge);
    await expect(answerOf(200 * maxBytes)).rejects.toThrow(`more than ${maxBytes} bytes`);
  });
});

test('a compressed answer without end is cut off, and its connection is closed', async () => {
  const part = gzipSync(Buffer.alloc(1_048_576, 'x'));
  let closed: Promise<unknown> | undefined;
  await using served = await serve((_request, response) => {
    closed = once(response, 'close');
    response.setHeader('content-encoding', 'gzip');
    const more = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', more);
    more();
  });
  await expect((await fetchBounded(served.url)).text()).rejects.toThrow(AnswerTooLarge);
  await closed;
});

test('no more is asked of the source than the bound and what is on its way', async () => {
  let pulled = 0;
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(new Uint8Array(maxBytes / 4));
    },
  });
  await expect(boundedResponse(new Response(source), maxBytes).text()).rejects.toThrow(AnswerTooLarge);
  expect(pulled).toBeLessThanOrEqual(8);
});

test('status, headers and an absent body stay', async () => {
  const answer = boundedResponse(new Response('{"a":1}', { status: 429, headers: { 'retry-after': '3' } }), maxBytes);
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([429, '3', { a: 1 }]);
  expect(boundedResponse(new Response(null, { status: 204 }), maxBytes)).toMatchObject({ status: 204, body: null });
});

test('what comes while the reader waits is one chunk', async () => {
  const sent = Promise.withResolvers<void>();
  await using served = await serve((_request, response) => {
    response.write('one ');
    response.write('two ');
    response.end('three', () => sent.resolve());
  });
  const asked: number[] = [];
  const beforeRead = async (chunks: number) => (asked.push(chunks), sent.promise.then(() => setTimeout(20)));
  const chunks: string[] = [];
  const { body } = await boundedFetch(maxBytes, { beforeRead })(served.url);
  for await (const chunk of body ?? []) chunks.push(Buffer.from(chunk).toString());
  expect(chunks.join('')).toBe('one two three');
  expect(chunks.length).toBeLessThan(3);
  expect(asked).toEqual(Array.from({ length: chunks.length + 1 }, (_, index) => index));
});
