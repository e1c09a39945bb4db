import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { contextFrom, tracer } from '#lib/platform';
import type { InvocationHead } from '#lib/transport';
import type { AttemptResult } from './run-tool.js';

interface TracedAttempt {
  readonly jobId: string;
  readonly head: InvocationHead;
  readonly run: number;
  readonly domain: string;
}

/** Runs one attempt in a span of the accepting request's trace. */
export async function tracedAttempt(
  { jobId, head, run, domain }: TracedAttempt,
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
      if (result.kind === 'failed') span.setStatus({ code: SpanStatusCode.ERROR, message: result.error.code });
      return result;
    } finally {
      span.end();
    }
  });
}
