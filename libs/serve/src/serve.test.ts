import { createServer, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '#lib/contracts';
import { eventually } from '#lib/testing';
import { handle } from './handle.js';
import { serve, type ServedWorker } from './serve.js';

const contract = defineTool({
  name: 'wait_for_it',
  version: '1.0.0',
  title: 'Wait',
  description: 'Wait until the test lets it go.',
  domain: 'own-test',
  effect: 'read',
  input: z.strictObject({}),
  output: z.strictObject({ done: z.boolean() }),
  errors: {},
  timeoutMs: 60_000,
  estimatedTokens: 1,
  examples: [{ input: {}, output: { done: true } }],
});

/** Open streams of workers, oldest first. Once the gateway refuses, it lets nobody in any more. */
let streams: ServerResponse[];
let refuses: boolean;
let refused: number;
let letGo: () => void;
/** What the worker said of attempts, and the most that ran at once. */
let said: { type: string; attempt?: string; number?: number; message?: string }[];
/** Whether the tool has output. */
let tells: boolean;
let [running, most] = [0, 0];
let server: Server;
let worker: ServedWorker;

beforeEach(async () => {
  [streams, refuses, refused, said, running, most, tells] = [[], false, 0, [], 0, 0, false];
  const gone = new Promise<void>((resolve) => (letGo = resolve));
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.url !== '/workers') {
        const { messages }: { messages: { type: string; attempt?: string }[] } = JSON.parse(body);
        said.push(...messages);
        const settled = messages.flatMap(({ type, attempt }) => (type === 'done' && attempt ? [attempt] : []));
        response.writeHead(200).end(JSON.stringify({ settled, unknown: [] }));
      } else if (refuses) {
        refused += 1;
        response.writeHead(403).end('{}');
      } else {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        streams.push(response);
        say('welcome', { worker: `w${streams.length}`, heartbeat_ms: 1_000, silence_ms: 60_000, tools: [] });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const tool = handle(contract, async (_input, { log, output, progress }) => {
    if (tells) {
      progress(10, `${'x'.repeat(999)}😀`);
      log('info', `${'x'.repeat(1_999)}😀`);
    }
    if (tells) for (const word of ['one', 'two']) await output([word]);
    most = Math.max(most, ++running);
    await gone;
    running -= 1;
    return { done: true };
  });
  const seen: string[] = [];
  worker = serve({
    tools: [tool],
    url: `http://127.0.0.1:${port}`,
    key: 'k',
    domain: 'test',
    concurrency: 4,
    stopsOnSignal: false,
    onEvent: ({ kind }) => void seen.push(kind),
  });
  await eventually(() => seen.includes('connected'));
});

afterEach(async () => {
  letGo();
  await worker.stop().catch(() => undefined);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function say(event: string, data: object): void {
  streams.at(-1)?.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

async function beginAttempt(attempt = 'a'): Promise<void> {
  sendAttempt(attempt);
  await sleep(100);
}

function sendAttempt(attempt: string): void {
  const caller = { tenant_id: 't', user_id: null, tier: 'pro' };
  const call = { attempt, tool: contract.name, version: contract.version, input: {}, effect_key: 'e', number: 1, trace_id: 't' };
  say('attempt', { ...call, session_id: null, caller });
}

describe('A worker', () => {
  test('runs no more at once than it announced, whatever the gateway sends, and gives the rest back', async () => {
    for (let n = 0; n < 50; n++) sendAttempt(`a${n}`);
    await eventually(() => said.filter(({ type }) => type === 'return').length === 46);
    // Those that are stopped go on here: their tool does not heed it.
    for (let n = 0; n < 50; n++) say('stop', { attempt: `a${n}` });
    for (let n = 0; n < 50; n++) sendAttempt(`b${n}`);
    await eventually(() => said.filter(({ type }) => type === 'return').length === 92);
    expect(most).toBe(8);
  });

  test('sends nothing to an address that the gateway makes of its id', async () => {
    streams.at(-1)?.end();
    await eventually(() => streams.length === 2);
    const before = said.length;
    say('welcome', { worker: '../../keys?x=', heartbeat_ms: 10, silence_ms: 60_000, tools: [] });
    await eventually(() => streams.length === 3);
    expect(said.length).toBe(before);
  });

  test('cuts what a tool says at whole characters: the gateway takes no half of one', async () => {
    tells = true;
    sendAttempt('a');
    await eventually(() => said.some(({ type }) => type === 'log'));
    const texts = said.flatMap(({ type, message }) =>
      type === 'progress' || type === 'log' ? [[type, message?.length, message?.isWellFormed()]] : [],
    );
    expect(texts).toEqual([
      ['progress', 999, true],
      ['log', 1_999, true],
    ]);
  });

  test.each([true, false])('numbers its outputs where the gateway takes numbers (%s)', async (takes) => {
    say('welcome', { worker: 'w1', heartbeat_ms: 1_000, silence_ms: 60_000, tools: [], ...(takes && { output_numbers: true }) });
    tells = true;
    sendAttempt('a');
    const outputs = () => said.filter(({ type }) => type === 'output').map(({ number }) => number);
    await eventually(() => outputs().length === 2);
    expect(outputs()).toEqual(takes ? [1, 2] : [undefined, undefined]);
  });

  test('that is stopped twice while a tool runs has stopped for both who asked', async () => {
    await beginAttempt();
    const both = Promise.all([worker.stop(), worker.stop()]);
    letGo();
    await expect(Promise.race([both, sleep(2_000, 'hangs')])).resolves.not.toBe('hangs');
  });

  test('that may not come back when its gateway stops ends what it runs, and then tells why', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      await beginAttempt();
      refuses = true;
      say('drain', {});
      await eventually(() => refused === 1);
      await sleep(100);
      expect(unhandled).toEqual([]);
      letGo();
      streams[0]?.end();
      await expect(worker.stopped).rejects.toThrow('403');
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});
