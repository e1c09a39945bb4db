// A body is the same however it comes.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventually, startTimeoutMs } from '#lib/testing';
import { TestHttpGateway } from '../test-http-gateway.js';

let gateway: TestHttpGateway;

beforeAll(async () => {
  gateway = await TestHttpGateway.start({ OPEN_REQUESTS_PER_CREDENTIAL: '2' });
}, startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

const answerShape = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** Sends pieces one after the other, each for itself. @returns status and message of the answer, or nothing where the connection is broken off */
async function send(head: readonly string[], pieces: readonly Buffer[], isBrokenOff = false): Promise<readonly [number, string] | null> {
  const socket = connect({ port: gateway.port, host: '127.0.0.1', noDelay: true });
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const lines = ['POST /tools/calc_metrics HTTP/1.1', 'host: 127.0.0.1', `authorization: ${gateway.user}`, 'connection: close'];
  socket.write([...lines, 'content-type: application/json', ...head, '', ''].join('\r\n'));
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (isBrokenOff) socket.destroy();
  await closed;
  if (received === '') return null;
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(received) ?? [];
  const { error } = answerShape.parse(JSON.parse(received.slice(received.indexOf('{'), received.lastIndexOf('}') + 1)));
  return [Number(status), error.message];
}

function inPieces(body: Buffer, bytes: number): readonly Buffer[] {
  return Array.from({ length: Math.ceil(body.length / bytes) }, (_, index) => body.subarray(index * bytes, (index + 1) * bytes));
}

const lengthOf = (body: Buffer): readonly string[] => [`content-length: ${body.length}`];

function inChunks(body: Buffer, bytes: number): readonly Buffer[] {
  const chunks = inPieces(body, bytes).map((piece) =>
    Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
  );
  return [...chunks, Buffer.from('0\r\n\r\n')];
}

describe('What is wrong with a body', () => {
  test.each([
    ['a value', '{"height_cm":"größer"}', 400],
    ['another value of the same name', '{"height_cm":180,"height_cm":"größer"}', 400],
    ['no JSON', '{"height_cm":"größer"', 400],
    ['a name that reaches a prototype', '{"größe":{"__proto__":{"a":1}}}', 400],
    ['its size', `{"note":"${'ä'.repeat(200_000)}"}`, 413],
  ])('is told alike whole, in pieces and in chunks: %s', async (_, text, status) => {
    const body = Buffer.from(text);
    const bytes = Math.max(3, Math.ceil(body.length / 20));
    const whole = await send(lengthOf(body), [body]);
    expect(whole).toEqual([status, expect.any(String)]);
    expect(await send(lengthOf(body), inPieces(body, bytes))).toEqual(whole);
    expect(await send(['transfer-encoding: chunked'], inChunks(body, bytes))).toEqual(whole);
  });
});

test('A body that is broken off is none, and its request is over', async () => {
  const body = Buffer.from('{"height_cm":"größer"}');
  for (let time = 0; time < 4; time++) expect(await send(lengthOf(body), [body.subarray(0, 10)], true)).toBeNull();
  for (let time = 0; time < 4; time++) expect(await send(['transfer-encoding: chunked'], inChunks(body, 5).slice(0, 2), true)).toBeNull();
  await eventually(async () => (await send(lengthOf(body), [body]))?.[0] === 400);
});
