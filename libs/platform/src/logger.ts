import { trace } from '@opentelemetry/api';
import { pino, type Logger, type LoggerOptions } from 'pino';
import { LogWriter } from './log-writer.js';

export type { Logger } from 'pino';

/** Structured logs, one JSON line each. @param to where they go; default: standard output */
export function createLogger(name: string, level: string, to: { readonly write: (line: string) => void } = standardOutput): Logger {
  return pino(loggerOptions(name, level), to);
}

const standardOutput = new LogWriter(1);

/**
 * One line of a call, with what every line has. For fields that were made to be shown: neither errors nor anything that could hold a
 * credential, because they are not searched for any. A fifth of the cost of `log.info`.
 */
export function logCall(log: Logger, { level, message, fields }: LoggedLine): void {
  if (!log.isLevelEnabled(level)) return;
  const { bindings, stream } = partsOf(log);
  const start = `{"level":"${level}","time":"${new Date().toISOString()}"${bindings}${spanOf()},"msg":"${message}"`;
  stream.write(`${start},${JSON.stringify(fields).slice(1)}\n`);
}

interface LoggedLine {
  readonly level: 'info' | 'error';
  /** Letters and spaces. */
  readonly message: string;
  /** At least one. */
  readonly fields: object;
}

interface LoggerParts {
  /** The fields that every line of this logger has, as text. */
  readonly bindings: string;
  readonly stream: { readonly write: (line: string) => unknown };
}

const parts = new WeakMap<Logger, LoggerParts>();

function partsOf(log: Logger): LoggerParts {
  const known = parts.get(log);
  if (known) return known;
  const bindings: unknown = Reflect.get(log, pino.symbols.chindingsSym);
  const stream: unknown = Reflect.get(log, pino.symbols.streamSym);
  if (typeof bindings !== 'string' || !isStream(stream)) throw new TypeError('Not a logger of pino');
  const made = { bindings, stream };
  parts.set(log, made);
  return made;
}

function isStream(value: unknown): value is LoggerParts['stream'] {
  return typeof value === 'object' && value !== null && 'write' in value && typeof value.write === 'function';
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
export function safeError(error: unknown): Record<string, unknown> {
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

function spanOf(): string {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? `,"w3c_trace_id":"${span.traceId}","span_id":"${span.spanId}"` : '';
}
