// Leaving a call of one's own: what the gateway is asked, and what the caller gets.
import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ReceivedRequest, type ScriptedAnswer } from '#lib/testing';
import { eventId, parseEventId } from '#lib/contracts';
import { jobOfEvent } from './cancel-job.js';
import { Invoq } from './index.js';
import { caught, failure, success } from './test-answers.js';

const jobId = `inv_profile_${'0'.repeat(31)}a`;
const frameOf = (name: string, seq: number, data: object): string =>
  `event: ${name}\nid: ${eventId(jobId, seq)}\ndata: ${JSON.stringify(data)}\n\n`;
const started = frameOf('tool_progress', 1, { progress: 0, message: 'Starting t' });
const ended = frameOf('tool_result', 2, success);
const accepted = jsonAnswer(202, { job_id: jobId, state: 'cancelled' });
const conflict = jsonAnswer(409, failure('CONFLICT'));

/** An open stream of these frames. */
const open =
  (...frames: readonly string[]): ScriptedAnswer =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(frames.join(''));

const asked = ({ requests }: { readonly requests: readonly ReceivedRequest[] }) => requests.map(({ method, url }) => `${method} ${url}`);
const cancelled = `DELETE /jobs/${jobId}?unless_joined=true`;
const wish = new Error('no longer wanted');

/** Calls with progress and aborts at the first event. */
function left(url: string, options: { readonly idempotencyKey?: string } = {}) {
  const leaving = new AbortController();
  const onProgress = (): void => void setImmediate(() => leaving.abort(wish));
  return { leaving, work: new Invoq({ url }).call<string>('t', {}, { ...options, signal: leaving.signal, onProgress }) };
}

test('the id of an event names its job, as the contracts make it; an answer without a job has none', () => {
  for (const id of [jobId, `inv_own-sales~3_${'f'.repeat(32)}`])
    expect(jobOfEvent(eventId(id, 12))).toBe(parseEventId(eventId(id, 12))?.jobId);
  for (const id of ['', 'evt_trace_20260101_0123456789ab_1', 'evt_trace_1_result', 'message']) expect(jobOfEvent(id)).toBeUndefined();
});

test('a signal that fires cancels the job, and its reason is thrown', async () => {
  await using server = await startScriptedServer(open(started), accepted);
  await expect(left(server.url).work).rejects.toBe(wish);
  expect(asked(server)).toEqual(['POST /tools/t/sse', cancelled]);
});

test('a call with an idempotency key that is left is cancelled, with and without progress: nobody else has joined it', async () => {
  await using server = await startScriptedServer(open(started), accepted, open(started), accepted);
  await expect(left(server.url, { idempotencyKey: 'k' }).work).rejects.toBe(wish);
  const leaving = new AbortController();
  const work = new Invoq({ url: server.url }).call<string>('t', {}, { idempotencyKey: 'k', signal: leaving.signal });
  setTimeout(() => leaving.abort(wish), 50);
  await expect(work).rejects.toBe(wish);
  expect(asked(server)).toEqual(['POST /tools/t/sse', `DELETE /jobs/${jobId}`, 'POST /tools/t/sse', `DELETE /jobs/${jobId}`]);
});

test('a job that had ended before gives its result', async () => {
  await using server = await startScriptedServer(open(started), conflict, open(ended));
  expect((await left(server.url).work).data).toEqual({ bmi: 22.86 });
  expect(asked(server)).toEqual(['POST /tools/t/sse', cancelled, `GET /jobs/${jobId}/events`]);
  expect(server.requests[2]?.headers['last-event-id']).toBe(eventId(jobId, 1));
});

test('a signal that fires before the job is known waits for its id', async () => {
  const leaving = new AbortController();
  await using server = await startScriptedServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    leaving.abort(wish);
    setTimeout(() => response.write(started), 50);
  }, accepted);
  const work = new Invoq({ url: server.url }).call<string>('t', {}, { signal: leaving.signal, onProgress: () => undefined });
  await expect(work).rejects.toBe(wish);
  expect(asked(server)).toEqual(['POST /tools/t/sse', cancelled]);
});

test('a signal that has fired before sends nothing', async () => {
  await using server = await startScriptedServer();
  const invoq = new Invoq({ url: server.url });
  const options = { signal: AbortSignal.abort(wish) };
  await expect(invoq.call<string>('t', {}, { ...options, onProgress: () => undefined })).rejects.toBe(wish);
  await expect(invoq.start<string>('t', {}, options)).rejects.toBe(wish);
  await expect(invoq.stream<string>('t', {}, options).next()).rejects.toBe(wish);
  expect(server.requests).toEqual([]);
});

test('a signal that fires after the end, or twice, changes nothing', async () => {
  await using server = await startScriptedServer(open(started, ended), open(started), accepted);
  const first = left(server.url);
  expect((await first.work).data).toEqual({ bmi: 22.86 });
  first.leaving.abort(wish);
  const second = left(server.url);
  await expect(second.work).rejects.toBe(wish);
  second.leaving.abort(new Error('again'));
  expect(asked(server)).toEqual(['POST /tools/t/sse', 'POST /tools/t/sse', cancelled]);
});

test('a signal that fires between two connections cancels the job', async () => {
  const leaving = new AbortController();
  await using server = await startScriptedServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(started);
    setTimeout(() => {
      response.destroy();
      setTimeout(() => leaving.abort(wish), 50);
    }, 50);
  }, accepted);
  const work = new Invoq({ url: server.url }).call<string>('t', {}, { signal: leaving.signal, onProgress: () => undefined });
  await expect(work).rejects.toBe(wish);
  expect(asked(server)).toEqual(['POST /tools/t/sse', cancelled]);
});

test('a cancellation that fails is told, with the job that may go on', async () => {
  const refused = jsonAnswer(403, failure('PERMISSION_DENIED'));
  await using server = await startScriptedServer(open(started), refused);
  const error = await caught(left(server.url).work);
  expect(error).toMatchObject({ code: 'PERMISSION_DENIED', status: 403 });
  expect(error.message).toBe(`The job ${jobId} could not be cancelled and may still run: it is PERMISSION_DENIED`);
});

test('a run that another caller began goes on: leaving it is enough', async () => {
  await using server = await startScriptedServer(open(started), jsonAnswer(404, failure('RESOURCE_NOT_FOUND')));
  await expect(left(server.url).work).rejects.toBe(wish);
});

test('leaving the loop of a stream cancels the job, whether by break, by an error or after its signal', async () => {
  await using server = await startScriptedServer(open(started), accepted, open(started), accepted, open(started), accepted);
  const invoq = new Invoq({ url: server.url });
  for await (const { event } of invoq.stream<string>('t', {})) if (event === 'tool_progress') break;
  const failing = (): never => {
    throw wish;
  };
  await expect(invoq.call<string>('t', {}, { onProgress: failing })).rejects.toBe(wish);
  const leaving = new AbortController();
  for await (const _event of invoq.stream<string>('t', {}, { signal: leaving.signal })) {
    leaving.abort(wish);
    break;
  }
  expect(asked(server)).toEqual(['POST /tools/t/sse', cancelled, 'POST /tools/t/sse', cancelled, 'POST /tools/t/sse', cancelled]);
});

test('leaving at the last event, or what has no job, cancels nothing', async () => {
  const cached = `event: tool_progress\nid: evt_trace_20260101_0123456789ab_1\ndata: {"progress":0,"message":""}\n\n`;
  await using server = await startScriptedServer(open(started, ended), open(cached));
  const invoq = new Invoq({ url: server.url });
  for await (const { event } of invoq.stream<string>('t', {})) if (event === 'tool_result') break;
  for await (const _event of invoq.stream<string>('t', {})) break;
  expect(asked(server)).toEqual(['POST /tools/t/sse', 'POST /tools/t/sse']);
});

test('following a job of somebody, and leaving that, cancels nothing', async () => {
  await using server = await startScriptedServer(open(started), open(started));
  const invoq = new Invoq({ url: server.url });
  for await (const _event of invoq.jobEvents(jobId)) break;
  const leaving = new AbortController();
  const waiting = invoq.wait(jobId, { signal: leaving.signal, onProgress: () => leaving.abort(wish) });
  await expect(waiting).rejects.toBe(wish);
  expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

test('a start that is left before the job is known cancels it as soon as it is', async () => {
  const leaving = new AbortController();
  const late: ScriptedAnswer = async (response, request) => {
    leaving.abort(wish);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await jsonAnswer(202, { job_id: jobId, trace_id: 'trace_1' })(response, request);
  };
  await using server = await startScriptedServer(late, accepted);
  await expect(new Invoq({ url: server.url }).start<string>('t', {}, { signal: leaving.signal })).rejects.toBe(wish);
  expect(asked(server)).toEqual(['POST /tools/t', cancelled]);
});
