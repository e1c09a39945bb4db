import { randomUUID } from 'node:crypto';
import type { Caller } from '#lib/contracts';
import { callerAttributes, outwardTraceId, traceparentOf, tracer } from '#lib/platform';
import type { RequestFacts } from './call-facts.js';
import { Steps } from './steps.js';
import { Taken } from './taken.js';

/** What stands for the request of a call that we make ourselves: a trace of its own. Whoever asks for it ends its span. */
export function ownFacts(name: string, attributes: Readonly<Record<string, string>>, caller: Caller): RequestFacts {
  const who = { [callerAttributes.tenant]: caller.tenantId, [callerAttributes.user]: caller.userId ?? '' };
  const span = tracer.startSpan(name, { root: true, attributes: { ...attributes, ...who } });
  const w3cTraceId = span.spanContext().traceId;
  const traceId = outwardTraceId(w3cTraceId, new Date());
  span.setAttribute('invoq.trace_id', traceId);
  return {
    requestId: randomUUID(),
    startedAt: performance.now(),
    traceId,
    derivedTraceId: traceId,
    w3cTraceId,
    traceparent: traceparentOf(span),
    span,
    steps: new Steps(),
    taken: new Taken(),
    caller,
  };
}
