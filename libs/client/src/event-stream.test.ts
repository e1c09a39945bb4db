/**
 * Replaces the timers that `fetch` uses too.
 *
 * @jest-environment node
 */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { cutAnswer, jsonAnswer, startScriptedServer, streamAnswer, type ScriptedAnswer } from '#lib/testing';
import type { AgentEvent as ContractEvent } from '#lib/contracts';
import { Invoq, type AgentEvent } from './index.js';
import { caught, collect, failure, frame, progressFrame, resultFrame } from './test-answers.js';

/** Delays that the client asked for. They are not waited for. */
let delays: (number | undefined)[];

beforeEach(() => {
  delays = [];
  const realTimeout = setTimeout;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((run, ms) => {
    delays.push(ms);
    return realTimeout(run, 0);
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

const refusal = (code: string, status: number, rest: object = {}): ScriptedAnswer =>
  jsonAnswer(status, failure(code, { retryable: true, ...rest }));

test('a cut stream is taken up again after its last event, once each event', async () => {
  await using server = await startScriptedServer(
    streamAnswer([progressFrame(1, 0), progressFrame(2, 40), 'event: tool_progress\nid: evt_3\nda'], 'cut'),
    cutAnswer,
    refusal('OVERLOADED', 503, { retry_after_ms: 9_000 }),
    streamAnswer([progressFrame(3, 80), resultFrame(4)], 'open'),
  );
  const seen: number[] = [];
  const result = await new Invoq({ url: server.url }).call<string>('t', { a: 1 }, { onProgress: ({ progress: at }) => seen.push(at) });
  expect([result.data, seen]).toEqual([{ bmi: 22.86 }, [0, 40, 80]]);
  expect(server.requests.map(({ method, url, headers, body }) => [method, url, headers['last-event-id'], body])).toEqual([
    ['POST', '/tools/t/sse', undefined, '{"a":1}'],
    ['POST', '/tools/t/sse', 'evt_2', '{"a":1}'],
    ['POST', '/tools/t/sse', 'evt_2', '{"a":1}'],
    ['POST', '/tools/t/sse', 'evt_2', '{"a":1}'],
  ]);
  expect(delays).toEqual([300, 600, 9_000]);
});

test('a stream that breaks before its first event is not sent again without an idempotency key', async () => {
  await using server = await startScriptedServer(streamAnswer([], 'cut'), streamAnswer([resultFrame(1)]));
  const invoq = new Invoq({ url: server.url });
  expect(await caught(invoq.call<string>('t', {}, { onProgress: () => undefined }))).toMatchObject({ code: 'NETWORK_ERROR' });
  expect(server.requests).toHaveLength(1);
  expect((await invoq.call<string>('t', {}, { onProgress: () => undefined, idempotencyKey: 'k' })).data).toEqual({ bmi: 22.86 });
});

test('nine connections without a new event are enough', async () => {
  await using server = await startScriptedServer(
    streamAnswer([progressFrame(1, 0)], 'cut'),
    ...Array.from({ length: 20 }, () => streamAnswer([': nothing\n\n'])),
  );
  expect(await caught(collect(new Invoq({ url: server.url }).stream<string>('t', {})))).toMatchObject({ code: 'NETWORK_ERROR' });
  expect(server.requests).toHaveLength(9);
});

test.each([
  ['data that is no JSON', 'event: tool_progress\nid: evt_2\ndata: {"progress": 40\n\n'],
  ['data that is no object', 'event: tool_progress\nid: evt_2\ndata: null\n\n'],
])('%s is a broken connection: the stream goes on after the event before', async (_what, broken) => {
  await using server = await startScriptedServer(
    streamAnswer([progressFrame(1, 0), broken]),
    streamAnswer([progressFrame(2, 40), resultFrame(3)]),
  );
  const events = await collect(new Invoq({ url: server.url }).stream<string>('t', {}));
  expect(events.map(({ id }) => id)).toEqual(['evt_1', 'evt_2', 'evt_3']);
  expect(server.requests[1]?.headers['last-event-id']).toBe('evt_1');
});

test('kinds of events that the client does not know are skipped', async () => {
  const retrying = frame('tool_retrying', 2, { retry_count: 1, max_retries: 2, delay_ms: 10, error: { code: 'X', message: 'x' } });
  await using server = await startScriptedServer(streamAnswer([frame('tool_dancing', 1, {}), retrying, resultFrame(3)]));
  const events = await collect(new Invoq({ url: server.url }).stream<string>('t', {}));
  expect(events.map(({ event }) => event)).toEqual(['tool_retrying', 'tool_result']);
});

test('leaving a stream early closes its connection', async () => {
  let isClosed = false;
  await using server = await startScriptedServer((response) => {
    response.on('close', () => (isClosed = true));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(progressFrame(1, 0));
  });
  for await (const { id } of new Invoq({ url: server.url }).stream<string>('t', {})) {
    expect(id).toBe('evt_1');
    break;
  }
  while (!isClosed) await new Promise(setImmediate);
});

test('an error that the stream ends with is thrown, with its status of a stream', async () => {
  await using server = await startScriptedServer(
    streamAnswer([progressFrame(1, 0), frame('tool_error', 2, failure('TIMEOUT', { retryable: true }, { job_id: 'inv_1' }))]),
  );
  expect(await caught(new Invoq({ url: server.url }).call<string>('t', {}, { onProgress: () => undefined }))).toMatchObject({
    code: 'TIMEOUT',
    mayHaveRun: true,
  });
  expect(server.requests).toHaveLength(1);
});

test('waiting with progress follows the events of the job, from the first, whatever breaks', async () => {
  await using server = await startScriptedServer(
    cutAnswer,
    streamAnswer([progressFrame(1, 0)], 'cut'),
    streamAnswer([progressFrame(2, 50), resultFrame(3)]),
  );
  const seen: string[] = [];
  const { data } = await new Invoq({ url: server.url }).wait('inv_1', { onProgress: ({ message }) => seen.push(message) });
  expect([data, seen]).toEqual([{ bmi: 22.86 }, ['step 1', 'step 2']]);
  expect(server.requests.map(({ method, headers }) => [method, headers['last-event-id']])).toEqual([
    ['GET', undefined],
    ['GET', undefined],
    ['GET', 'evt_1'],
  ]);
});

test('a job that failed throws its error, however it is waited for', async () => {
  const failed = failure('CANCELLED', {}, { job_id: 'inv_1' });
  await using server = await startScriptedServer(jsonAnswer(200, { result: failed }), streamAnswer([frame('tool_error', 1, failed)]));
  const invoq = new Invoq({ url: server.url });
  expect(await caught(invoq.wait('inv_1'))).toMatchObject({ code: 'CANCELLED' });
  expect(await caught(invoq.wait('inv_1', { onProgress: () => undefined }))).toMatchObject({ code: 'CANCELLED' });
});

test('events may begin after one that is known; none left is an error', async () => {
  await using server = await startScriptedServer(streamAnswer([resultFrame(8)]), (response) => void response.writeHead(204).end());
  const invoq = new Invoq({ url: server.url });
  expect(await collect(invoq.jobEvents('inv_1', { after: 'evt_7' }))).toMatchObject([{ event: 'tool_result', id: 'evt_8' }]);
  expect(server.requests[0]).toMatchObject({ url: '/jobs/inv_1/events', headers: { 'last-event-id': 'evt_7' } });
  expect(await caught(collect(invoq.jobEvents('inv_1', { after: 'evt_8' })))).toMatchObject({ code: 'RESOURCE_NOT_FOUND', status: 204 });
});

test('the events of the agent are those of the contracts', () => {
  const told: ContractEvent[] = [{ type: 'done', content: 'Hello' }];
  // Checked by the types.
  const read: AgentEvent[] = told;
  const again: ContractEvent['type'][] = read.map(({ type }) => type);
  expect(again).toEqual(['done']);
});

test('a chat turn is told in the events of the agent, to its end', async () => {
  await using server = await startScriptedServer(
    streamAnswer([
      frame('thinking', 1, { iteration: 1 }),
      frame('tool_call', 2, { id: 'call_1', name: 't', arguments: {} }),
      frame('later_kind', 3, {}),
      frame('done', 4, { content: 'Hello' }),
      frame('content', 5, { content: 'never read' }),
    ]),
  );
  expect(await collect(new Invoq({ url: server.url }).agentEvents('inv_1'))).toEqual([
    { type: 'thinking', iteration: 1 },
    { type: 'tool_call', id: 'call_1', name: 't', arguments: {} },
    { type: 'done', content: 'Hello' },
  ]);
  expect(server.requests[0]?.url).toBe('/jobs/inv_1/events?format=agent');
});
