import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EventSource } from 'eventsource';
import { z } from 'zod';
import { envelopeShape, eventually, progressShape, retryingShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal } from '../expectations.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';

const ticketShape = z.strictObject({ ticket: z.string().regex(/^tkt_/), expires_in: z.literal(60) });
const body = { height_cm: '175', weight_kg: '70', age: '30', gender: 'male', activity_level: 'moderate' };

/** The class of the Tool Use document, as it is written there. */
const documentedClient = readFileSync(join(import.meta.dirname, '../data/tool-sse-client.js.txt'), 'utf8');

interface ToolSSEClient {
  readonly connect: () => void;
  readonly close: () => void;
  readonly eventSource: EventSource | null;
  onProgress?: (data: unknown) => void;
  onResult?: (data: unknown) => void;
  onError?: (data: unknown) => void;
  onRetrying?: (data: unknown) => void;
}

describe('a browser', () => {
  let lab: LabSystem;
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    lab = await startLabSystem();
    system = lab.system;
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const newTicket = async () => (await user.post('/tickets', {})).as(ticketShape).ticket;

  /** Runs the documented class in a page whose origin is the gateway, and tells what its callbacks were told. */
  const runClient = async (tool: string, params: Readonly<Record<string, string>>) => {
    class PageEventSource extends EventSource {
      constructor(url: string) {
        super(new URL(url, system.gateway.url));
      }
    }
    const silent = { log: () => undefined, warn: () => undefined, error: () => undefined };
    const make: unknown = runInNewContext(`${documentedClient}\n(tool, params) => new ToolSSEClient(tool, params)`, {
      EventSource: PageEventSource,
      URLSearchParams,
      console: silent,
    });
    const client = z.custom<(tool: string, params: object) => ToolSSEClient>((value) => typeof value === 'function').parse(make)(
      tool,
      params,
    );
    const told: { kind: 'progress' | 'result' | 'error' | 'retrying'; data: unknown }[] = [];
    client.onProgress = (data) => void told.push({ kind: 'progress', data });
    client.onResult = (data) => void told.push({ kind: 'result', data });
    client.onError = (data) => void told.push({ kind: 'error', data });
    client.onRetrying = (data) => void told.push({ kind: 'retrying', data });
    client.connect();
    await eventually(() => client.eventSource?.readyState === EventSource.CLOSED, {
      withinMs: 15_000,
      what: 'the client closing its stream',
    });
    return told;
  };

  verifies(['TU-42', 'TU-37', 'TU-30'], 'runs the documented client unchanged: progress, then one result', async () => {
    const told = await runClient('calc_metrics', { ...body, ticket: await newTicket() });
    expect(told.map(({ kind }) => kind)).toEqual(['progress', 'result']);
    expect(progressShape.parse(told[0]?.data).progress).toBe(0);
    expect(envelopeShape.parse(told[1]?.data).data).toMatchObject({ bmi: 22.86 });
  });

  verifies(['TU-42', 'TU-34'], 'runs the documented client unchanged: an error is told once', async () => {
    const told = await runClient('calc_metrics', { ...body, age: '0', ticket: await newTicket() });
    expect(told.map(({ kind }) => kind)).toEqual(['error']);
    expect(envelopeShape.parse(told[0]?.data).error).toMatchObject({ code: 'INVALID_PARAMS', native_code: 'INVALID_INPUT' });
  });

  verifies(
    ['TU-42', 'TU-35', 'TU-29', 'TU-39'],
    'runs the documented client unchanged: steps and retries on the way to the result',
    async () => {
      const steps = await runClient('lab_steps', { order: 'browser-steps', steps: '5', step_ms: '60', ticket: await newTicket() });
      expect(steps.map(({ data, kind }) => (kind === 'progress' ? progressShape.parse(data).progress : kind))).toEqual([
        0,
        20,
        40,
        60,
        80,
        100,
        'result',
      ]);
      const retried = await runClient('lab_fail', { order: 'browser-retry', kind: 'network', times: '1', ticket: await newTicket() });
      expect(retried.map(({ kind }) => kind)).toEqual(['progress', 'retrying', 'result']);
      expect(retryingShape.parse(retried[1]?.data)).toMatchObject({ retry_count: 1, max_retries: 3, error: { code: 'NETWORK_ERROR' } });
    },
  );

  verifies(['TU-43'], 'that does not close its EventSource is told once and then, by 204, to stop', async () => {
    const results: unknown[] = [];
    const source = new EventSource(
      new URL(`/tools/lab_steps/sse?order=browser-open&steps=2&step_ms=20&ticket=${await newTicket()}`, system.gateway.url),
    );
    const opened: Event[] = [];
    source.addEventListener('open', (event) => opened.push(event));
    source.addEventListener('tool_result', (event) => results.push(JSON.parse(event.data)));
    await eventually(() => source.readyState === EventSource.CLOSED, { withinMs: 10_000, what: 'the EventSource giving up after 204' });
    expect(results).toHaveLength(1);
    expect(opened).toHaveLength(1);
    expect(lab.ledger.of('browser-open').notes.filter(({ note }) => note === 'started')).toHaveLength(1);
  });

  test('gets a ticket that opens one stream of its caller and nothing else', async () => {
    const ticket = await newTicket();
    for (const [method, path] of [
      ['GET', '/tools'],
      ['POST', '/tools/calc_metrics'],
      ['POST', '/tickets'],
      ['GET', '/jobs'],
      ['GET', '/traces/x'],
      ['GET', '/metrics'],
      ['GET', '/admin/queues'],
    ] as const) {
      expectRefusal(await system.anonymous.request(`${path}?ticket=${ticket}`, { method }), { status: 401, code: 'UNAUTHORIZED' });
    }
    const lookup = `/tools/user_profile_lookup/sse?user_id=user_001&ticket=${ticket}`;
    const other = await system.anonymous.stream(lookup);
    expect((await other.rest()).at(-1)).toMatchObject({ event: 'tool_result', data: { data: { user_id: 'user_001' } } });
    for (const path of [lookup, `/tools/calc_metrics/sse?ticket=${ticket}`])
      expectRefusal(await system.anonymous.get(path), { status: 401, code: 'UNAUTHORIZED' });
  });

  test('of ten that use one ticket at once, one is let in', async () => {
    const path = `/tools/user_profile_lookup/sse?user_id=user_001&ticket=${await newTicket()}`;
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => (await system.anonymous.get(path, { accept: 'text/event-stream' })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(9);
  });

  test('with a made-up ticket is not let in, and a credential makes the ticket needless', async () => {
    for (const ticket of ['', 'x', 'tkt_', `tkt_${'a'.repeat(43)}`, '../x', '*'])
      expectRefusal(await system.anonymous.get(`/tools/calc_metrics/sse?ticket=${encodeURIComponent(ticket)}`), {
        status: 401,
        code: 'UNAUTHORIZED',
      });
    expectRefusal(await system.anonymous.post('/tickets', {}), { status: 401, code: 'UNAUTHORIZED' });
    await using stream = await user.stream(`/tools/user_profile_lookup/sse?user_id=user_001&ticket=needless`);
    expect((await stream.rest()).at(-1)?.event).toBe('tool_result');
  });

  verifies(['TU-45'], 'cannot change anything by a GET: such tools stream by POST', async () => {
    const reply = await user.get('/tools/lab_effect/sse?order=by-get', { accept: 'text/event-stream' });
    expectRefusal(reply, { status: 405, code: 'METHOD_NOT_ALLOWED' });
    expect(reply.headers.get('allow')).toBe('POST');
    expect(lab.ledger.of('by-get').calls).toEqual([]);
    await using stream = await user.stream('/tools/lab_effect/sse', { method: 'POST', json: { order: 'by-post' } });
    expect((await stream.rest()).at(-1)).toMatchObject({ event: 'tool_result', data: { data: { order: 'by-post' } } });
  });
});
