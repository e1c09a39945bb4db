import { WaitingError } from 'bullmq';
import type { ToolContract } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import { recordLifeMs, type CallHead, type InvocationStore } from '#lib/transport';
import type { Waits } from '#lib/handlers';

interface RestJobParts {
  readonly store: Pick<InvocationStore, 'resting'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Whether people are told what they may have overlooked: in development. */
  readonly showCauses: boolean;
}

interface RestingJob {
  readonly jobId: string;
  readonly head: CallHead;
  readonly contract: ToolContract;
  readonly attempt: number;
  /** Of the job's lock. */
  readonly token: string;
  /** The first to end first. */
  readonly waits: Waits;
  readonly hasStep: boolean;
}

/**
 * Rests a call whose attempt asks for it: no failure, no retry, and its job is gone. Throws to tell BullMQ so.
 * @returns when the call has ended, or is in other hands
 */
export async function restJob(
  { store, log, showCauses }: RestJobParts,
  { contract, hasStep, waits: [rest], ...job }: RestingJob,
): Promise<string> {
  if (showCauses && contract.effect === 'write' && !hasStep) {
    log.warn(
      { event: 'rests-without-step', job_id: job.jobId, tool_name: job.head.tool },
      `${job.head.tool} writes, and rests without a step: what it did before the rest is done again after it; put it into context.step`,
    );
  }
  // Nobody waits for an answer by then: it was answered that the call rests.
  const isResting = await store.resting.rest({ ...job, rest, leftMs: recordLifeMs });
  if (!isResting) return 'stopped';
  throw new WaitingError();
}
