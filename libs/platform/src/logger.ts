import { trace } from '@opentelemetry/api';
import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * Structured logs on standard output, one JSON line each. Fields are chosen where they are logged and redacted by the
 * contract's marks; the paths here are a second net under credentials.
 */
export function createLogger(name: string, level: string): Logger {
  return pino(
    {
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
    },
    // Buffered: a call costs no write of its own; at most half a second of logs is lost to a kill.
    pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 500 }),
  );
}

/** Class, message and stack, bounded; whatever else a library hangs on its errors stays out of the logs. */
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
