import {
  partitionOfJob,
  type BeginResult,
  type FinishRequest,
  type FinishResult,
  type InvocationStore,
  type Partition,
  type ReadyEnd,
} from '#lib/transport';

/** Where the attempts of calls begin and end. */
export interface JobSteps {
  /** Starts an attempt of a job that was taken. @param now epoch milliseconds */
  begin(jobId: string, now: number): Promise<BeginResult>;
  /**
   * Ends a call whose job completes with it. The end may be written when the processor has returned.
   * @param onEnded called once it is written
   */
  end(request: FinishRequest, onEnded: (finished: FinishResult) => void): Promise<void>;
}

/** Each step is written at once. */
export function stepsAlone(store: Pick<InvocationStore, 'begin' | 'finish'>): JobSteps {
  return {
    begin: async (jobId, now) => store.begin(jobId, now),
    end: async (request, onEnded) => onEnded(await store.finish(request)),
  };
}

/** An end that is written with the next turn. */
export interface PendingEnd {
  readonly ready: ReadyEnd;
  readonly onEnded: (finished: FinishResult) => void;
}

/** What passes between the turns of a worker and its processor. */
export class TurnSteps implements JobSteps {
  readonly #store: Pick<InvocationStore, 'begin' | 'readyEnd'>;
  readonly #begun = new Map<string, BeginResult>();
  readonly #ends = new Map<string, PendingEnd>();
  /** Of partitions that have some. */
  readonly #pauses = new Map<Partition, string>();

  constructor(store: Pick<InvocationStore, 'begin' | 'readyEnd'>) {
    this.#store = store;
  }

  /** The attempt of a job that a turn has begun. */
  began(jobId: string, begun: BeginResult): void {
    this.#begun.set(jobId, begun);
  }

  /** What is paused in a partition, as the last turn there saw it. */
  sawPauses(partition: Partition, pauses: string): void {
    if (pauses === '') this.#pauses.delete(partition);
    else this.#pauses.set(partition, pauses);
  }

  async begin(jobId: string, now: number): Promise<BeginResult> {
    const begun = this.#begun.get(jobId);
    this.#begun.delete(jobId);
    return begun ?? this.#store.begin(jobId, now, this.#pauses.get(partitionOfJob(jobId)));
  }

  async end(request: FinishRequest, onEnded: (finished: FinishResult) => void): Promise<void> {
    const ready = await this.#store.readyEnd(request);
    if (ready) this.#ends.set(request.jobId, { ready, onEnded });
    else onEnded('ended-before');
  }

  /** The end of a call whose processor has returned, if it has one that is still to be written. */
  endOf(jobId: string): PendingEnd | undefined {
    // Of a job that was given back before its attempt began.
    this.#begun.delete(jobId);
    const end = this.#ends.get(jobId);
    this.#ends.delete(jobId);
    return end;
  }
}
