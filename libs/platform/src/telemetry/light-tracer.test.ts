import { afterEach, expect, jest, test } from '@jest/globals';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { LightTracerProvider } from './light-tracer.js';
import { callerAttributes, unstored, type SpanRecord } from './span-sink.js';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
afterEach(() => void jest.useRealTimers());

function newTracer(ratio = 1) {
  const sent: SpanRecord[] = [];
  const provider = new LightTracerProvider({ service: 'gateway', ratio, send: async (spans) => void sent.push(...spans) });
  return { provider, tracer: provider.getTracer(), sent };
}

test('a span is sent after its end, with what was set on it until then', async () => {
  const { provider, tracer, sent } = newTracer();
  const span = tracer.startSpan('GET /', { kind: SpanKind.SERVER, attributes: { a: 1 } });
  span.setAttribute('b', 'two').setAttributes({ c: true }).setStatus({ code: SpanStatusCode.ERROR }).updateName('GET /tools');
  await provider.forceFlush();
  expect(sent).toEqual([]);
  span.end();
  span.setAttribute('d', 'too late');
  span.end();
  await provider.forceFlush();
  expect(sent).toEqual([
    {
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      parent_span_id: null,
      service: 'gateway',
      name: 'GET /tools',
      kind: 'server',
      start: expect.any(Number),
      duration_ms: expect.any(Number),
      status: 'error',
      attributes: { a: 1, b: 'two', c: true },
    },
  ]);
});

test('a span continues in the trace above it, also in that of another process', async () => {
  const { provider, tracer, sent } = newTracer();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const carrier = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'a=1' };
  const above = propagation.extract(ROOT_CONTEXT, carrier);
  const outer = tracer.startSpan('outer', {}, above);
  const below = trace.setSpan(above, outer);
  const passedOn: Record<string, string> = {};
  propagation.inject(below, passedOn);
  expect(passedOn).toEqual({ traceparent: `00-${traceId}-${outer.spanContext().spanId}-01`, tracestate: 'a=1' });
  tracer.startActiveSpan('inner', {}, below, (span) => {
    expect(trace.getActiveSpan()).toBe(span);
    tracer.startSpan('innermost').end();
    span.end();
  });
  outer.end();
  await provider.forceFlush();
  expect(sent.map(({ name, trace_id }) => [name, trace_id])).toEqual([
    ['innermost', traceId],
    ['inner', traceId],
    ['outer', traceId],
  ]);
  expect(sent.map(({ parent_span_id }) => parent_span_id)).toEqual([sent[1]?.span_id, sent[2]?.span_id, 'b7ad6b7169203331']);
});

test('what the caller does not have recorded, and what the share leaves out, is not sent', async () => {
  const { provider, tracer, sent } = newTracer(0);
  const isOf = (flags: string) => propagation.extract(ROOT_CONTEXT, { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-${flags}` });
  const spans = [tracer.startSpan('root'), tracer.startSpan('no', {}, isOf('00')), tracer.startSpan('yes', {}, isOf('01'))];
  expect(spans.map((span) => span.isRecording())).toEqual([false, false, true]);
  for (const span of spans) span.end();
  await provider.forceFlush();
  expect(sent.map(({ name }) => name)).toEqual(['yes']);
});

test('spans belong to whom the one above them belongs, and are not stored below one that is not', async () => {
  const { provider, tracer, sent } = newTracer();
  const owned = tracer.startSpan('owned', { attributes: { [callerAttributes.tenant]: 't', [callerAttributes.user]: 'u' } });
  const hidden = tracer.startSpan('hidden', { attributes: { [unstored]: true } });
  tracer.startSpan('below', {}, trace.setSpan(ROOT_CONTEXT, owned)).end();
  tracer.startSpan('own', { attributes: { [callerAttributes.tenant]: 'v' } }, trace.setSpan(ROOT_CONTEXT, owned)).end();
  tracer.startSpan('below hidden', {}, trace.setSpan(ROOT_CONTEXT, hidden)).end();
  hidden.setAttribute(unstored, false);
  hidden.end();
  await provider.forceFlush();
  expect(sent.map(({ name, attributes }) => [name, attributes])).toEqual([
    ['below', { [callerAttributes.tenant]: 't', [callerAttributes.user]: 'u' }],
    ['own', { [callerAttributes.tenant]: 'v' }],
    ['hidden', { [unstored]: false }],
  ]);
});

test('spans are sent together after a moment, also when the store has refused those before', async () => {
  jest.useFakeTimers();
  const sends: number[] = [];
  const provider = new LightTracerProvider({
    service: 's',
    ratio: 1,
    send: async (spans) => {
      sends.push(spans.length);
      throw new Error('away');
    },
  });
  for (const count of [3, 2]) {
    for (let index = 0; index < count; index++) provider.startSpan('n').end();
    await jest.advanceTimersByTimeAsync(500);
  }
  expect(sends).toEqual([3, 2]);
});

test('of very many spans in a moment the last are dropped', async () => {
  let sent = 0;
  let go: () => void = () => undefined;
  const isThere = new Promise<void>((resolve) => (go = resolve));
  const provider = new LightTracerProvider({
    service: 's',
    ratio: 1,
    send: async (spans) => isThere.then(() => void (sent += spans.length)),
  });
  for (let index = 0; index < 30_000; index++) provider.startSpan('n').end();
  go();
  await provider.forceFlush();
  expect(sent).toBe(4_096 + 16_384);
});
