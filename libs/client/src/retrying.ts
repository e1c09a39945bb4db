import { InvoqError } from './invoq-error.js';

interface RetryRule {
  /** Tries after the first. */
  readonly times: number;
  /** True when a second sending is the same call: a read, or a call with an idempotency key. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal | undefined;
}

const baseMs = 250;
const maxMs = 10_000;
/** A longer timer fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Tries again what was refused before it ran and may be taken later. What was lost on the way is tried again only where a second
 * sending is the same call. What ran is never sent again: the tool's own rules have retried it already.
 * Waits as long as the answer asks, and at least an exponential backoff of 250 ms to 10 s with jitter.
 */
export async function retrying<Result>(work: () => Promise<Result>, { times, isRepeatable, signal }: RetryRule): Promise<Result> {
  for (let tried = 0; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (!isWorthRetrying(error, isRepeatable) || tried >= times || signal?.aborted) throw error;
      const backoff = Math.min(maxMs, baseMs * 2 ** tried) * (0.5 + Math.random());
      await pause(Math.max(error.retryAfterMs ?? 0, backoff), signal);
    }
  }
}

function isWorthRetrying(error: unknown, isRepeatable: boolean): error is InvoqError {
  if (!(error instanceof InvoqError) || !error.retryable) return false;
  return !error.mayHaveRun || (isRepeatable && error.envelope === undefined);
}

/** Waits, at most 24 days. Throws the signal's reason as soon as it fires. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(ms, longestTimerMs),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
