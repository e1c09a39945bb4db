import { afterEach, expect, jest, test } from '@jest/globals';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { LightTracerProvider } from './light-tracer.js';
import { callerAttributes, unstored, type SpanRecord } from './span-sink.js';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
afterEach(() => void jest.useRealTimers());

function newTracer({ ratio = 1, perSecond }: { readonly ratio?: number; readonly perSecond?: number } = {}) {
  const sent: SpanRecord[] = [];
  const options = { service: 'gateway', ratio, ...(perSecond !== undefined && { perSecond }) };
  const provider = new LightTracerProvider({ ...options, send: async (spans) => void sent.push(...spans) });
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
  const { provider, tracer, sent } = newTracer({ ratio: 0 });
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

/** A request with a query below it, which is over first. */
function request(
  tracer: ReturnType<typeof newTracer>['tracer'],
  name: string,
  tell: (root: Span, query: Span) => void = () => undefined,
): Span {
  const root = tracer.startSpan(name, { kind: SpanKind.SERVER });
  const query = tracer.startSpan(`query of ${name}`, {}, trace.setSpan(ROOT_CONTEXT, root));
  tell(root, query);
  query.end();
  root.end();
  return root;
}

test('outside the rate only traces with a failure or something slow are kept, and these whole', async () => {
  const { provider, tracer, sent } = newTracer({ perSecond: 0 });
  request(tracer, 'quick');
  request(tracer, 'refused', (root) => root.setAttribute('invoq.code', 'INVALID_PARAMS'));
  request(tracer, 'not found', (root) => root.setAttribute('http.response.status_code', 404));
  request(tracer, 'fine', (root) => root.setAttribute('http.response.status_code', 200));
  request(tracer, 'broken', (_root, query) => query.setStatus({ code: SpanStatusCode.ERROR }));
  const slow = jest.spyOn(performance, 'now').mockReturnValueOnce(1_000).mockReturnValueOnce(1_000).mockReturnValueOnce(1_000);
  request(tracer, 'slow', () => void slow.mockReturnValue(2_000));
  slow.mockRestore();
  await provider.forceFlush();
  const whole = ['refused', 'not found', 'broken', 'slow'].flatMap((name) => [`query of ${name}`, name]);
  expect(sent.map(({ name }) => name)).toEqual(whole);
});

test('what ends after the first span of its trace is kept when the trace is', async () => {
  const { provider, tracer, sent } = newTracer({ perSecond: 0 });
  for (const code of [200, 500]) {
    const root = tracer.startSpan(`answer ${code}`);
    const late = tracer.startSpan(`after ${code}`, {}, trace.setSpan(ROOT_CONTEXT, root));
    root.setAttribute('http.response.status_code', code).end();
    late.end();
  }
  await provider.forceFlush();
  expect(sent.map(({ name }) => name)).toEqual(['answer 500', 'after 500']);
});

test('a consumer does as the sender of its message decided, a server decides itself', async () => {
  const { provider, tracer, sent } = newTracer({ perSecond: 0 });
  const below = (flags: string) => propagation.extract(ROOT_CONTEXT, { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-${flags}` });
  for (const flags of ['00', '01'])
    for (const kind of [SpanKind.CONSUMER, SpanKind.SERVER]) {
      const span = tracer.startSpan(`${SpanKind[kind]} ${flags}`, { kind }, below(flags));
      expect(span.spanContext().traceFlags).toBe(flags === '01' && kind === SpanKind.CONSUMER ? 1 : 0);
      span.end();
    }
  await provider.forceFlush();
  expect(sent.map(({ name }) => name)).toEqual(['CONSUMER 01']);
});

test('so many traces a second are kept, and all below that', async () => {
  const seconds = jest.spyOn(performance, 'now');
  const { provider, tracer, sent } = newTracer({ perSecond: 50 });
  const keptOf = async (second: number, calls: number) => {
    seconds.mockReturnValue(second * 1_000);
    for (let n = 0; n < calls; n++) tracer.startSpan('call').end();
    await provider.forceFlush();
    return sent.splice(0).length;
  };
  expect(await keptOf(1, 50)).toBe(50);
  // A burst keeps somewhat more in its first second.
  expect(await keptOf(2, 5_000)).toBeLessThan(50 * (1 + Math.log(100)) + 100);
  const steady = await keptOf(3, 5_000);
  expect(steady).toBeGreaterThan(20);
  expect(steady).toBeLessThan(100);
  await keptOf(4, 10);
  expect(await keptOf(5, 50)).toBe(50);
  seconds.mockRestore();
});
