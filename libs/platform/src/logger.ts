import { trace } from '@opentelemetry/api';
import { pino, type Logger, type LoggerOptions } from 'pino';

export type { Logger } from 'pino';

/** Structured logs on standard output, one JSON line each. */
export function createLogger(name: string, level: string): Logger {
  // Buffered: a call costs no write of its own; a kill loses at most half a second of logs.
  return pino(loggerOptions(name, level), pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 500 }));
}

/**
 * What a line holds. Fields are chosen where they are logged, and the contract's marks redact parameters. The paths here hide
 * credentials that were logged all the same.
 */
export function loggerOptions(name: string, level: string): LoggerOptions {
  return {
    name,
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['authorization', '*.authorization', 'headers.authorization', 'headers.cookie', 'req.headers.authorization'],
      censor: '[redacted]',
    },
    serializers: { err: safeError },
    mixin: () => {
      const span = trace.getActiveSpan()?.spanContext();
      return span ? { w3c_trace_id: span.traceId, span_id: span.spanId } : {};
    },
  };
}

/** Class, code, message, stack and cause, bounded. Other properties that a library sets on its errors stay out of the logs. */
function safeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error).slice(0, 500) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: error.name,
    ...(code && { code }),
    message: error.message.slice(0, 500),
    stack: error.stack?.slice(0, 4_000),
    ...(error.cause instanceof Error && { cause: { type: error.cause.name, message: error.cause.message.slice(0, 500) } }),
  };
}
