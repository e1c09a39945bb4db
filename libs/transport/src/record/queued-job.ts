import type { JobsOptions } from 'bullmq';
import { redact, type ToolContract } from '#lib/contracts';
import { withField, type CallHead } from './codec.js';
import type { EndedCall } from './finish-result.js';

/**
 * The data of a job in BullMQ. The record of truth is the invocation store; this is for people who look at the
 * board, so parameters are already redacted.
 */
export interface JobData {
  readonly trace_id: string;
  readonly tenant: string;
  readonly user: string | null;
  /** Until the call ends. */
  readonly input?: unknown;
}

/** The most bytes of parameters that the board shows. */
const maxShownBytes = 4_096;

/** Ended jobs that the board still shows. Their outcomes live in the invocation store. */
export const shownCompleted = { count: 500 };
export const shownDays = 7;
export const shownFailed = { count: 2_000, age: shownDays * 24 * 3_600 };

const commonOptions = {
  // The worker's own strategy: the delay is computed where the failure is judged.
  backoff: { type: 'custom' },
  removeOnComplete: shownCompleted,
  removeOnFail: shownFailed,
  stackTraceLimit: 1,
} satisfies JobsOptions;

export interface QueuedJob {
  readonly jobId: string;
  readonly tool: string;
  readonly maxAttempts: number;
  readonly priority: number;
  readonly shown: JobData;
  /** The same as JSON. */
  readonly data: string;
}

/**
 * An accepted call as the queue and the board see it. A tool's own priority puts it so many rounds back.
 * @param round in which it is taken up, from its acceptance. Default 0: before those that wait
 */
export function queuedJob({
  jobId,
  head,
  contract,
  round = 0,
}: Pick<EndedCall, 'jobId' | 'head'> & { readonly contract: ToolContract | undefined; readonly round?: number }): QueuedJob {
  const input = contract ? redact(contract.input, 'input', head.input) : null;
  const text = JSON.stringify(input ?? null);
  const bytes = head.body?.bytes ?? Buffer.byteLength(text);
  const facts = shownFacts(head);
  const tooLarge = bytes > maxShownBytes ? { too_large_to_show_bytes: bytes } : null;
  return {
    jobId,
    tool: head.tool,
    maxAttempts: head.maxAttempts,
    priority: round + (contract?.priority ?? 0),
    shown: { ...facts, input: tooLarge ?? input },
    data: withField(facts, 'input', tooLarge ? JSON.stringify(tooLarge) : text),
  };
}

/** What the board shows of a call whatever its state. */
export function shownFacts({ traceId, caller }: CallHead): Omit<JobData, 'input'> {
  return { trace_id: traceId, tenant: caller.tenantId, user: caller.userId };
}

/** The options that all jobs have, as JSON without its first brace. */
export const commonOpts = JSON.stringify(commonOptions).slice(1);

/** The options of one job, for BullMQ itself. */
export function jobOptions({ jobId, maxAttempts, priority }: QueuedJob): JobsOptions {
  return { jobId, attempts: maxAttempts, ...(priority > 0 && { priority }), ...commonOptions };
}
