import { InvoqError } from './invoq-error.js';

interface RetryTerms {
  /** After the first attempt. */
  readonly times: number;
  /** True when sending it again is the same call: it has an idempotency key. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal | undefined;
}

const baseMs = 250;
const maxMs = 10_000;

/**
 * Tries again what was refused before it ran and may be taken later, and what was lost on the way when a second sending is the
 * same call. What ran was tried again by the tool's own rules already.
 */
export async function retrying<Result>(work: () => Promise<Result>, { times, isRepeatable, signal }: RetryTerms): Promise<Result> {
  for (let tried = 0; ; tried++) {
    try {
      return await work();
    } catch (error) {
      const isWorth = error instanceof InvoqError && error.retryable && (!error.mayHaveRun || (error.status === 0 && isRepeatable));
      if (!isWorth || tried >= times || signal?.aborted) throw error;
      const backoff = Math.min(maxMs, baseMs * 2 ** tried) * (0.5 + Math.random());
      await pause(Math.max(error.retryAfterMs ?? 0, backoff), signal);
    }
  }
}

export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
