import { DelayedError, UnrecoverableError, WaitingError } from 'bullmq';
import type { EndedJob, TakenJob } from '#lib/transport';
import type { CallEnds } from './call-ends.js';
import { HeldJob } from './held-job.js';
import type { HeldJobs } from './held-jobs.js';
import type { PendingEnd, TurnSteps } from './job-steps.js';
import type { ManualWorker } from './manual-worker.js';
import type { Places } from './places.js';
import type { JobProcessor } from './process-job.js';
import { RetryLater } from './retry-later.js';

/** An end with the job that completes with it. */
export interface EndOfJob extends PendingEnd {
  readonly job: HeldJob;
  readonly end: EndedJob;
}

export interface AttemptsParts<Services extends object> {
  readonly worker: ManualWorker;
  /** Of its locks. */
  readonly token: string;
  readonly held: HeldJobs;
  readonly steps: TurnSteps;
  readonly places: Places;
  readonly processor: Pick<JobProcessor<Services>, 'process'> & { readonly ends: Pick<CallEnds, 'abandon'> };
  readonly onFault: (error: unknown) => void;
  /** Called with an end that is still to be written. */
  readonly onEnded: (one: EndOfJob) => void;
  /** Called when a job is held no more. */
  readonly onDropped: () => void;
}

/** Works on the jobs that a worker has taken, each once. Its ends are written by whoever took it. */
export class Attempts<Services extends object> {
  readonly #parts: AttemptsParts<Services>;

  constructor(parts: AttemptsParts<Services>) {
    this.#parts = parts;
  }

  begin({ jobId, begun }: TakenJob): void {
    const { held, steps, worker } = this.#parts;
    held.add(jobId);
    if (begun) steps.began(jobId, begun);
    void this.#attempt(new HeldJob(worker, jobId), begun !== null);
  }

  /** Takes one job by BullMQ's own script. Rejects when Redis is away. @returns whether there was one */
  async beginByStock(): Promise<boolean> {
    const { worker, token, held } = this.#parts;
    const job = await worker.getNextJob(token, { block: false });
    if (!job?.id) return false;
    held.add(job.id);
    void this.#attempt(new HeldJob(worker, job.id, job));
    return true;
  }

  /** A job whose end could not be written. Never rejects. */
  async fail(job: HeldJob, error: unknown): Promise<void> {
    const { token, processor, onFault } = this.#parts;
    try {
      if (error instanceof DelayedError || error instanceof WaitingError) return;
      await job.moveToFailed(error, token);
      // Only the queue itself fails a job so; our own failures have ended the call already.
      if (!(error instanceof RetryLater)) await processor.ends.abandon(job.id);
    } catch (fault) {
      onFault(fault);
    } finally {
      this.drop(job.id);
    }
  }

  drop(jobId: string): void {
    this.#parts.held.delete(jobId);
    this.#parts.onDropped();
  }

  /** One attempt, which never rejects. @param isFirst of a job that was never taken before */
  async #attempt(job: HeldJob, isFirst = false): Promise<void> {
    const { places, processor, steps, token, onEnded } = this.#parts;
    try {
      const found = isFirst ? null : await job.read();
      if (found?.deferredFailure) throw new UnrecoverableError(found.deferredFailure);
      const value = await processor.process(job, token);
      const pending = steps.endOf(job.id);
      const completion = { attempts: (found?.attemptsMade ?? 0) + 1, returnValue: JSON.stringify(value) };
      if (pending) onEnded({ ...pending, job, end: { ready: pending.ready, completion } });
      else {
        await job.moveToCompleted(value, token);
        this.drop(job.id);
      }
    } catch (error) {
      steps.endOf(job.id);
      await this.fail(job, error);
    } finally {
      places.leave();
    }
  }
}
