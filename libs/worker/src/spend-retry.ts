import { UnrecoverableError } from 'bullmq';
import type { ToolContract } from '#lib/contracts';
import type { AttemptWrites, BegunAttempt, CallReports, InvocationStore } from '#lib/transport';
import { retryDelayMs, retryRuleFor } from './retry-decision.js';
import { RetryLater } from './retry-later.js';
import type { AttemptResult } from '#lib/handlers';

interface SpendRetryParts {
  readonly store: Pick<InvocationStore, 'read'> & { readonly attempts: Pick<AttemptWrites, 'retry'> };
  readonly reports: CallReports;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** 0 to 1, for the jitter of delays. */
  readonly random: () => number;
}

interface AttemptToRetry {
  readonly jobId: string;
  readonly begun: BegunAttempt;
  readonly contract: ToolContract;
  readonly result: Extract<AttemptResult, { kind: 'failed' }>;
}

/**
 * Spends one retry of the failure's own budget, if the rule has one left and the deadline has room for it.
 * Gives what the job must throw, or null when this failure is the call's end.
 */
export async function spendRetry(
  { store, reports, now, random }: SpendRetryParts,
  { jobId, begun, contract, result }: AttemptToRetry,
): Promise<RetryLater | UnrecoverableError | null> {
  const { head, attempt, spent } = begun;
  const { failure } = result;
  const record = await store.read(jobId);
  const used = spent[failure] ?? 0;
  const rule = head.retry ? retryRuleFor(contract, failure) : null;
  const room = { now: now(), deadline: record?.deadline ?? 0, random: random() };
  const delayMs = rule && retryDelayMs(rule, { ...result, used }, room);
  if (!rule || delayMs === null) return null;
  const { code, message } = result.error;
  const event = { kind: 'retry', failure, retry: used + 1, maxRetries: rule.times, delayMs, error: { code, message } } as const;
  const written = await store.attempts.retry(jobId, attempt, { event, spent: { ...spent, [failure]: used + 1 } });
  if (!written) return new UnrecoverableError('ended elsewhere');
  reports.metrics.toolRetries.inc({ tool: head.tool, failure });
  return new RetryLater(code, delayMs);
}
