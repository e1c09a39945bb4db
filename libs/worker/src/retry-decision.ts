import { backoffMs, retryRule, type FailureKind, type FullRetryRule, type ToolContract } from '#lib/contracts';

/** An attempt that failed, and how many retries of its kind the invocation has used. */
interface FailedAttempt {
  /** False when the other side said that the same request would fail again. */
  readonly retryable: boolean;
  /** How long the other side asked to be left alone, in ms. */
  readonly hintMs?: number | undefined;
  readonly used: number;
}

interface RetryRoom {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly deadline: number;
  /** 0 to 1, for the jitter. */
  readonly random: number;
}

/** The contract's rule for a kind of failure; null when it is never retried. Faults of our own never are. */
export function retryRuleFor(contract: ToolContract, failure: FailureKind): FullRetryRule | null {
  return failure === 'internal' ? null : retryRule(contract, failure);
}

/**
 * Delay before the next attempt in ms, or null for no further attempt: the budget is used, the retry would begin at or after the
 * deadline, or the other side asks for a longer pause than the rule's longest, which the caller should hear instead.
 */
export function retryDelayMs(rule: FullRetryRule, failed: FailedAttempt, { now, deadline, random }: RetryRoom): number | null {
  const { retryable, hintMs, used } = failed;
  if (!retryable || used >= rule.times || (hintMs ?? 0) > rule.maxMs) return null;
  const delayMs = backoffMs(rule, used + 1, { hintMs, random });
  return now + delayMs < deadline ? delayMs : null;
}
