import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '#lib/testing';
import { Sender } from './sender.js';

/** Bodies of the requests that the gateway got, and how long it takes to answer one. */
let got: string[];
let answerMs: number;
let server: Server;
let sender: Sender;

beforeEach(async () => {
  [got, answerMs] = [[], 0];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      got.push(body);
      void sleep(answerMs).then(() => response.writeHead(204).end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const parts = { url: `http://127.0.0.1:${port}/`, key: 'k', onUnknown: () => undefined, onGone: () => undefined };
  // It says that it is there after one second, and sends an end again after three.
  sender = new Sender({ ...parts, heartbeatMs: 1_000 });
});

afterEach(async () => {
  sender.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('What a worker says', () => {
  test('while its heartbeat is on its way is sent right after it', async () => {
    answerMs = 300;
    await eventually(() => got.includes('{"messages":[]}'));
    sender.end({ type: 'done', attempt: 'a' });
    await sleep(answerMs);
    await eventually(() => got.includes('{"messages":[{"type":"done","attempt":"a"}]}'), { withinMs: 1_500 });
  });

  test('is sent together and in its order, and waits for the answer to what was said before', async () => {
    answerMs = 100;
    sender.say({ type: 'progress', attempt: 'a', progress: 1 });
    await eventually(() => got.length === 1);
    for (const progress of [2, 3]) sender.say({ type: 'progress', attempt: 'a', progress });
    await sender.sent({ type: 'output', attempt: 'a' });
    expect(got.map((body) => JSON.parse(body).messages.length)).toEqual([1, 3]);
  });
});
