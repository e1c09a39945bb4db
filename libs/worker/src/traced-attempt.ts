import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { contextFrom, safeError, tracer } from '#lib/platform';
import type { InvocationHead } from '#lib/transport';
import type { AttemptResult } from '#lib/handlers';

interface TracedAttempt {
  readonly jobId: string;
  readonly head: InvocationHead;
  readonly run: number;
  readonly domain: string;
  readonly showCauses: boolean;
}

/** Runs one attempt in a span of the accepting request's trace. */
export async function tracedAttempt(
  { jobId, head, run, domain, showCauses }: TracedAttempt,
  work: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.destination.name': domain,
    'invoq.job_id': jobId,
    'invoq.trace_id': head.traceId,
    ...(head.requestId !== undefined && { request_id: head.requestId }),
    'invoq.tool': head.tool,
    'invoq.attempt': run,
  };
  const parent = contextFrom(head.traceparent);
  return tracer.startActiveSpan(`attempt ${head.tool}`, { kind: SpanKind.CONSUMER, attributes }, parent, async (span) => {
    try {
      const result = await work();
      span.setAttributes({ ...result.facts, 'invoq.result': result.kind });
      if (result.kind === 'refused') span.setAttribute('invoq.code', result.error.native_code ?? result.error.code);
      if (result.kind === 'failed') {
        span.setStatus({ code: SpanStatusCode.ERROR, message: result.error.code });
        span.setAttributes({ 'invoq.code': result.error.code, ...(showCauses && exceptionOf(result.cause)) });
      }
      return result;
    } finally {
      span.end();
    }
  });
}

/** By the names of OpenTelemetry. The stack is that of the sources. */
function exceptionOf(cause: unknown): Record<string, string> {
  const { type = 'Error', message, stack = '' } = safeError(cause);
  return { 'exception.type': String(type), 'exception.message': String(message), 'exception.stacktrace': String(stack) };
}
