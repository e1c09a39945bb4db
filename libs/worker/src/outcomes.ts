import type { Outcome } from '#lib/contracts';
import { safeError } from '#lib/platform';
import type { Ending } from '#lib/transport';
import type { AttemptResult } from '#lib/handlers';

type Done = Extract<AttemptResult, { kind: 'done' }>;
type Failed = Extract<AttemptResult, { kind: 'failed' }>;

/** The outcome of an attempt that has an answer. Sealed data is stored apart from the record, which others read and which lives longer. */
export function successOf(
  { message, warnings, explained, version }: Done,
  { data, sealed }: { readonly data: unknown; readonly sealed: boolean },
): Outcome {
  return {
    ok: true,
    data: sealed ? null : data,
    message,
    ...(warnings.length > 0 && { warnings }),
    ...(explained && { explained }),
    ...(sealed && { sealed }),
    ...(version !== undefined && { version }),
  };
}

/**
 * The outcome of an attempt that failed for good.
 * @param attempt its number where `debug_info` shall say why it failed, with the stack in our sources; null where it shall not
 */
export function failureOf({ error, cause, failure }: Failed, attempt: number | null): Outcome {
  return { ok: false, error, ...(attempt !== null && { explained: { cause: { attempt, failure, ...safeError(cause) } } }) };
}

/** The ending with what the upstreams of this very attempt answered. Shown to those who read the job, and not kept in the cache. */
export function withUpstreamAnswers(end: Ending, upstreamAnswers: AttemptResult['upstreamAnswers'] = {}): Ending {
  const { outcome } = end;
  return Object.keys(upstreamAnswers).length === 0
    ? end
    : { ...end, outcome: { ...outcome, explained: { ...outcome.explained, ...upstreamAnswers } } };
}
