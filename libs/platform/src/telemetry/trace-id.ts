import { context, isSpanContextValid, propagation, trace, type Context, type Span } from '@opentelemetry/api';
import { utcDay } from '../utc-day.js';

/** A trace id that a caller may bring along; echoed as it is (C-14). */
const inbound = /^trace_[A-Za-z0-9_]{1,64}$/;

export function isTraceId(text: unknown): text is string {
  return typeof text === 'string' && inbound.test(text);
}

/** `trace_<UTC date>_<first 12 hex digits of the W3C trace id>` (TU-64, C-14). */
export function outwardTraceId(w3cTraceId: string, now: Date): string {
  return `trace_${utcDay(now).replaceAll('-', '')}_${tracePrefix(w3cTraceId)}`;
}

/** What the trace store files a trace under. */
export function tracePrefix(w3cTraceId: string): string {
  return w3cTraceId.slice(0, 12);
}

/** The W3C header of a span, to travel with a job; empty when nothing is traced. */
export function traceparentOf(span: Span | undefined = trace.getActiveSpan()): string {
  const known = span?.spanContext();
  return known && isSpanContextValid(known) ? `00-${known.traceId}-${known.spanId}-${known.traceFlags.toString(16).padStart(2, '0')}` : '';
}

export function contextFrom(traceparent: string): Context {
  return propagation.extract(context.active(), { traceparent });
}

export const tracer = trace.getTracer('invoq');
