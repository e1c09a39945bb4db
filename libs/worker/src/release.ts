import { DelayedError, UnrecoverableError, WaitingError } from 'bullmq';
import type { InvocationStore } from '#lib/transport';
import type { QueueJob } from './held-job.js';
import { maxStalls } from './manual-worker.js';

/** Why an attempt is stopped. */
export const shutdown = new Error('worker is stopping');
export const endedElsewhere = new Error('ended elsewhere');

/** Why an attempt goes back to the queue before it has ended. */
export class GivenBack extends Error {
  override readonly name = 'GivenBack';
  /** Before it is taken again, in ms. */
  readonly delayMs: number;
  /** Whether it is not known how far it came, because whoever ran it is lost. */
  readonly isLost: boolean;

  constructor(why: string, { delayMs = 0, isLost = false }: { readonly delayMs?: number; readonly isLost?: boolean } = {}) {
    super(why);
    this.delayMs = delayMs;
    this.isLost = isLost;
  }
}

/** Whether an attempt that its signal has stopped is followed by another one, which goes on with what it has begun. */
export function goesOnLater({ reason }: Pick<AbortSignal, 'reason'>): boolean {
  return reason === shutdown || reason instanceof GivenBack;
}

/** Gives a job back to the queue. Always throws, to tell BullMQ that the job has moved. */
export async function release(job: QueueJob, token: string): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

interface GiveBackParts {
  readonly store: Pick<InvocationStore, 'countStall'>;
  readonly token: string;
  readonly now: number;
  /** Ends the call of a job that is poison. */
  readonly abandon: (jobId: string) => Promise<void>;
}

/** The same for one attempt alone. A job that has taken two workers down with it ends, as with the queue's own check for stalled jobs. */
export async function giveBack(
  job: QueueJob,
  { delayMs, isLost }: GivenBack,
  { store, token, now, abandon }: GiveBackParts,
): Promise<never> {
  const jobId = job.id ?? '';
  if (isLost && (await store.countStall(jobId)) > maxStalls) {
    await abandon(jobId);
    throw new UnrecoverableError('two workers that took this job were lost');
  }
  if (delayMs === 0) return release(job, token);
  await job.moveToDelayed(now + delayMs, token);
  throw new DelayedError();
}
