import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { redact, type ToolContract } from '#lib/contracts';
import { callerAttributes, contextFrom, measures, safeError, spanContent, tracer, type Logger } from '#lib/platform';
import type { CallHead } from '#lib/transport';
import type { Attempt, AttemptResult } from '#lib/handlers';
import { AttemptLog } from './attempt-log.js';

interface TracedAttempt {
  readonly jobId: string;
  readonly head: CallHead;
  readonly contract: ToolContract;
  readonly attempt: number;
  readonly domain: string;
  readonly log: Logger;
}

/** Runs one attempt in a span of the accepting request's trace. What it logs goes into the log, and onto that span. */
export async function tracedAttempt(
  { jobId, head, contract, attempt, domain, log }: TracedAttempt,
  work: (onLog: NonNullable<Attempt['onLog']>) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.destination.name': domain,
    'invoq.job_id': jobId,
    'invoq.trace_id': head.traceId,
    ...(head.requestId !== undefined && { request_id: head.requestId }),
    'invoq.tool': head.tool,
    'invoq.attempt': attempt,
    [callerAttributes.tenant]: head.caller.tenantId,
    [callerAttributes.user]: head.caller.userId ?? '',
  };
  const logged = new AttemptLog();
  const onLog: Attempt['onLog'] = (level, message) => {
    log[level]({ event: 'tool-log', job_id: jobId, trace_id: head.traceId, tool_name: head.tool }, message);
    logged.add(level, message);
  };
  const parent = contextFrom(head.traceparent);
  const startedAt = performance.now();
  return tracer.startActiveSpan(`attempt ${head.tool}`, { kind: SpanKind.CONSUMER, attributes }, parent, async (span) => {
    const showsContent = spanContent.isTaken && span.isRecording();
    // Large parameters are elsewhere, and read where they are needed.
    if (showsContent && !head.body) span.setAttributes(spanContent.of('arguments', redact(contract.input, 'input', head.input)));
    let error: string | null = '_OTHER';
    try {
      const result = await work(onLog);
      error = errorIn(result);
      if (showsContent && result.kind === 'done')
        span.setAttributes(spanContent.of('result', redact(contract.output, 'output', result.data)));
      span.setAttributes({ ...result.facts, 'invoq.result': result.kind });
      if (result.kind === 'refused') span.setAttribute('invoq.code', result.error.native_code ?? result.error.code);
      if (result.kind === 'failed') {
        span.setStatus({ code: SpanStatusCode.ERROR, message: result.error.code });
        span.setAttributes({ 'invoq.code': result.error.code, ...exceptionOf(result.cause) });
      }
      return result;
    } finally {
      span.setAttributes(logged.attributes);
      span.end();
      measures.toolExecution.since(startedAt, () => ({
        'gen_ai.tool.name': head.tool,
        'gen_ai.tool.type': 'function',
        ...(error !== null && { 'error.type': error }),
      }));
    }
  });
}

/** One of our own codes: those of a tool may be any text. */
function errorIn(result: AttemptResult): string | null {
  return result.kind === 'refused' || result.kind === 'failed' ? result.error.family : null;
}

/** By the names of OpenTelemetry. The stack is that of the sources. Callers who administer nothing do not see it. */
function exceptionOf(cause: unknown): Record<string, string> {
  const { type = 'Error', message, stack = '' } = safeError(cause);
  return { 'exception.type': String(type), 'exception.message': String(message), 'exception.stacktrace': String(stack) };
}
