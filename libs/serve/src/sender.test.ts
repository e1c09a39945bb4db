import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '#lib/testing';
import { Sender } from './sender.js';

/** Bodies of the requests that the gateway got, and how long it takes to answer one. */
let got: string[];
let answerMs: number;
/** The most requests that were on their way at once. */
let mostOpen: number;
let server: Server;
let sender: Sender;

beforeEach(async () => {
  [got, answerMs, mostOpen] = [[], 0, 0];
  // Of this server alone: what the one before still answers does not count.
  let open = 0;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      got.push(body);
      mostOpen = Math.max(mostOpen, ++open);
      void sleep(answerMs).then(() => {
        open -= 1;
        response.writeHead(body.includes('wrong') ? 400 : 204).end();
      });
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

  test('keeps its order also beside a message that the gateway does not take', async () => {
    answerMs = 50;
    sender.say({ type: 'wrong', attempt: 'a' });
    for (const data of [1, 2, 3]) sender.say({ type: 'output', attempt: 'a', data: [data] });
    await sender.sent({ type: 'output', attempt: 'a', data: [4] });
    const last = got.slice(1).flatMap((body) => JSON.parse(body).messages.map(({ data }: { data?: number[] }) => data?.[0]));
    expect(last).toEqual([undefined, 1, 2, 3, 4]);
    expect(mostOpen).toBe(1);
  });

  test('a step is sent until it is kept, and no more once its attempt is over', async () => {
    const text = '{"type":"step","attempt":"a","name":"one"}';
    let isKept = false;
    void sender.keep({ type: 'step', attempt: 'a', name: 'one' }, 'one').then(() => (isKept = true));
    void sender.keep({ type: 'step', attempt: 'b', name: 'one' }, 'one');
    await eventually(() => got.join().split(text).length === 3, { withinMs: 8_000 });
    expect(isKept).toBe(false);
    sender.kept('a', 'one');
    await eventually(() => isKept);
    sender.settle(['b']);
    got = [];
    await sleep(4_000);
    expect(got.join()).not.toContain('step');
  }, 20_000);

  test('a step that the gateway does not take is an error of the tool', async () => {
    await expect(sender.keep({ type: 'step', attempt: 'a', name: 'wrong' }, 'wrong')).rejects.toThrow(
      'the gateway does not take what the step gave',
    );
  });
});
