import { createRedisBackend, raw2NextJobData, type BackendFactory, type RedisQueueBackend } from 'bullmq';
import type { Domain } from '#lib/contracts';
import type { BeginResult } from './begin-result.js';
import type { FinishRequest, FinishResult } from './finish-result.js';
import type { InvocationStore, ReadyEnd } from './invocation-store.js';
import { partitionNamed, type Partition } from './redis-keys.js';
import type { RunSteps } from './run-steps.js';
import type { TakenJob } from './taken-job.js';

/** Ended jobs that the board no longer shows are dropped so many together. */
const trimEvery = 32;

interface WaitingEnd {
  readonly ready: ReadyEnd;
  readonly onEnded: (finished: FinishResult) => void;
}

/**
 * A job is taken and its run begins in one script; the run ends, the job completes and the next one is taken in another
 * ([decision 50](../../../docs/decisions/0050-three-scripts-a-call.md)). All else is BullMQ's own. What passes between queue and
 * processor is kept by the token of the job's lock.
 */
export class JoinedSteps implements RunSteps {
  readonly #store: InvocationStore;
  readonly #domain: Domain;
  readonly #begun = new Map<string, { readonly jobId: string; readonly result: BeginResult }>();
  readonly #ends = new Map<string, WaitingEnd>();
  /**
   * When the next delayed job of a queue is due, once a job was taken and no other waited: then the worker need not look before it sleeps.
   * Whoever adds a job after that wakes it.
   */
  readonly #restsUntil = new Map<Partition, number>();
  #completed = 0;

  constructor(store: InvocationStore, domain: Domain) {
    this.#store = store;
    this.#domain = domain;
  }

  readonly backend: BackendFactory<RedisQueueBackend> = (name, opts, extra) => {
    const backend = createRedisBackend(name, opts, extra);
    const partition = partitionNamed(name);
    const { lockMs } = this.#domain;
    const { moveToActive, moveToCompleted, waitForJob } = backend;
    const next = async (taken: TakenJob, token: string): Promise<unknown[]> => {
      switch (taken.kind) {
        case 'stock':
          return moveToActive.call(backend, token);
        case 'none':
          this.looksAgain(partition);
          return [null, 0, 0, taken.delayedUntil];
        case 'job':
          if (taken.more) this.looksAgain(partition);
          else this.#restsUntil.set(partition, taken.delayedUntil);
          if (taken.begun) this.#begun.set(token, { jobId: taken.jobId, result: taken.begun });
          return raw2NextJobData([taken.fields, taken.jobId, 0, 0]);
      }
    };
    const joined: Pick<RedisQueueBackend, 'moveToActive' | 'moveToCompleted' | 'waitForJob'> = {
      moveToActive: async (token) => {
        const delayedUntil = this.#restsUntil.get(partition);
        this.looksAgain(partition);
        return delayedUntil === undefined ? next(await this.#store.take(partition, { lockMs, token }), token) : [null, 0, 0, delayedUntil];
      },
      waitForJob: async (...args) => {
        const woken = await waitForJob.apply(backend, args);
        this.looksAgain(partition);
        return woken;
      },
      moveToCompleted: async (...args) => {
        const [job, returnValue, , token, fetchNext] = args;
        const waiting = this.#ends.get(token);
        if (!waiting || waiting.ready.jobId !== job.id) return moveToCompleted.apply(backend, args);
        const { finished, code, taken, finishedOn } = await this.#store.end(waiting.ready, {
          lockMs,
          token,
          attempts: job.attemptsMade + 1,
          returnValue: JSON.stringify(returnValue),
          takes: fetchNext && !backend.closing,
          trims: ++this.#completed % trimEvery === 0,
        });
        // Not before it was written: BullMQ comes again after a fault of the connection.
        this.#ends.delete(token);
        waiting.onEnded(finished);
        if (code !== 0) throw backend.finishedErrors({ code, jobId: job.id, command: 'moveToFinished', state: 'active' });
        return { result: taken ? await next(taken, token) : undefined, finishedOn };
      },
    };
    return Object.assign(backend, joined);
  };

  looksAgain(partition: Partition): void {
    this.#restsUntil.delete(partition);
  }

  async begin(jobId: string, token: string, now: number): Promise<BeginResult> {
    const begun = this.#begun.get(token);
    this.#begun.delete(token);
    return begun?.jobId === jobId ? begun.result : this.#store.begin(jobId, now);
  }

  async complete(token: string, request: FinishRequest, onEnded: (finished: FinishResult) => void): Promise<void> {
    const ready = await this.#store.readyEnd(request);
    if (ready) this.#ends.set(token, { ready, onEnded });
    else onEnded('ended-before');
  }
}
