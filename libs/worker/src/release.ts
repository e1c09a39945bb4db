import { WaitingError, type Job } from 'bullmq';
import type { QueuedInvocation } from '#lib/transport';

/** Gives a job back to the queue. Always throws, to tell BullMQ that the job has moved. */
export async function release(job: Job<QueuedInvocation>, token: string): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}
