import { errorCodes, type ToolError } from '../errors.js';
import { outcomeIn } from '../in-language.js';
import type { Language } from '../language.js';
import type { CallFacts, Envelope, EnvelopeError, EnvelopeMetadata, Outcome } from '../envelope.js';

/** The unified envelope of the Tool Use document for an outcome (TU-18…28). */
export function toEnvelope(kept: Outcome, facts: CallFacts): Envelope {
  const outcome = outcomeIn(facts.language ?? 'en', kept);
  const metadata = toMetadata(outcome, facts);
  const debug = facts.debugInfo && { debug_info: facts.debugInfo };
  if (outcome.ok) return { success: true, status: 'success', data: outcome.data, metadata, ...debug };
  const { error } = outcome;
  return {
    success: false,
    status: 'error',
    error: toEnvelopeError(error, facts.language),
    ...(error.family === 'RATE_LIMITED' && error.retry_after_ms !== undefined && { retry_after: Math.ceil(error.retry_after_ms / 1000) }),
    metadata,
    ...debug,
  };
}

/** The HTTP status of an outcome: 200, or the status of the error's family. */
export function httpStatus(outcome: Outcome): number {
  return outcome.ok ? 200 : errorCodes[outcome.error.family].http;
}

/** The facts of an outcome for logs and metrics. */
export function outcomeFacts(outcome: Outcome): {
  success: boolean;
  error_code: string | null;
  native_code: string | null;
  http_status: number;
} {
  return {
    success: outcome.ok,
    error_code: outcome.ok ? null : outcome.error.code,
    native_code: outcome.ok ? null : (outcome.error.native_code ?? null),
    http_status: httpStatus(outcome),
  };
}

function toEnvelopeError(error: ToolError, language: Language = 'en'): EnvelopeError {
  const row = errorCodes[error.family];
  return {
    ...error.extra,
    code: error.code,
    ...(error.native_code !== undefined && { native_code: error.native_code }),
    message: error.message,
    retryable: row.retryable,
    hint: language === 'zh' ? row.zh : row.advice,
    ...(error.details && { details: error.details }),
    ...(error.retry_after_ms !== undefined && { retry_after_ms: error.retry_after_ms }),
  };
}

function toMetadata(outcome: Outcome, facts: CallFacts): EnvelopeMetadata {
  return {
    tool_name: facts.toolName,
    timestamp: new Date(facts.timestamp).toISOString(),
    trace_id: facts.traceId,
    ...(facts.executionMs !== undefined && { execution_time_ms: facts.executionMs }),
    ...(facts.performance && { performance: facts.performance }),
    ...(facts.cache && { cache: facts.cache }),
    ...(facts.jobId && { job_id: facts.jobId }),
    ...(facts.attempts !== undefined && { attempts: facts.attempts }),
    ...(facts.toolVersion && { tool_version: facts.toolVersion }),
    ...(facts.resultId !== undefined && { result_id: facts.resultId }),
    ...(facts.costMicros !== undefined && { cost: { micros: facts.costMicros } }),
    ...(facts.metacognition && { metacognition: facts.metacognition }),
    ...(outcome.warnings?.length && { warnings: outcome.warnings }),
  };
}
