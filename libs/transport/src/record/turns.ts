import { toBeginResult, type BeginResult } from './begin-result.js';
import type { EndedJob, ReadyEnd } from './end-call.js';
import { toFinishResult, type FinishResult } from './finish-result.js';
import type { RedisClient } from '../redis/redis-client.js';
import { type RedisKeys } from '../redis/redis-keys.js';
import { domainOf, type Partition } from '../redis/partition.js';
import { listOf, type ScriptReply } from '../redis/script.js';
import { turn } from '../scripts/turn.js';
import type { Sealer } from './sealing.js';
import { shownCompleted } from './queued-job.js';

/** Endings up to this size, in bytes, are sent with their notice, which saves the waiter a read. */
const noticeBytes = 8_192;
/** Ended jobs that the board no longer shows are dropped so many together. */
const trimEvery = 32;

/** A worker at one partition. */
export interface TurnTaker {
  /** No other worker has it, nor had. */
  readonly workerId: string;
  /** Of its locks, and how long they last. */
  readonly token: string;
  readonly lockMs: number;
}

/** A job that was taken. */
export interface TakenJob {
  readonly jobId: string;
  /** Its attempt, or null where the worker begins it. */
  readonly begun: BeginResult | null;
}

/** What a worker finds when it takes jobs of its queue. */
export type TakenJobs =
  /** The queue is paused or bounded, or delayed jobs are due: BullMQ's own script must look. */
  | { readonly kind: 'stock'; readonly pauses: string }
  /** `more`: whether others wait. `delayedUntil`: when the next delayed job is due, in epoch ms; 0 for none. `pauses`: for `begin`. */
  | {
      readonly kind: 'jobs';
      readonly jobs: readonly TakenJob[];
      readonly more: boolean;
      readonly delayedUntil: number;
      readonly pauses: string;
    };

export interface TurnResult {
  /** Of each end, in their order. An Error is for that end alone. */
  readonly finished: readonly (FinishResult | Error)[];
  readonly taken: TakenJobs;
}

interface TurnsParts {
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Nobody takes jobs where calls are only ended. */
const nobody: TurnTaker = { workerId: '-', token: '-', lockMs: 1 };

/** Turns at partitions: each is one script, which ends calls, completes their jobs, and takes further jobs. */
export class Turns {
  readonly #parts: TurnsParts;
  #count = 0;
  #completed = 0;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  /** A worker's turn: what it has ended, and up to how many jobs it wants. */
  async take(
    partition: Partition,
    ends: readonly EndedJob[],
    { want, ...taker }: TurnTaker & { readonly want: number },
  ): Promise<TurnResult> {
    const completed = this.#completed + ends.filter(({ completion }) => completion).length;
    const trims = Math.floor(completed / trimEvery) > Math.floor(this.#completed / trimEvery);
    this.#completed = completed;
    return this.#run(partition, ends, { ...taker, want, trims });
  }

  /** Ends a call whose job nobody completes with it. */
  async end(partition: Partition, ready: ReadyEnd): Promise<FinishResult> {
    const { finished } = await this.#run(partition, [{ ready, completion: null }], { ...nobody, want: 0, trims: false });
    const [first] = finished;
    if (first === undefined || first instanceof Error) throw first ?? new TypeError('A turn has no reply to an end');
    return first;
  }

  async #run(
    partition: Partition,
    ends: readonly EndedJob[],
    { want, trims, workerId, token, lockMs }: TurnTaker & { readonly want: number; readonly trims: boolean },
  ): Promise<TurnResult> {
    const { redis, keys, sealer, now } = this.#parts;
    const domain = domainOf(partition);
    const queue = (name: string): string => keys.queue(partition, name);
    const clock = now();
    const { replies, added } = await turn.run(redis, {
      keys: {
        open: keys.open(partition),
        openByTenant: keys.openByTenant(partition),
        resting: keys.resting(partition),
        ended: keys.endedCalls(partition),
        endedLost: keys.endedCallsLost(partition),
        outbox: keys.outbox(partition),
        wait: queue('wait'),
        active: queue('active'),
        prioritized: queue('prioritized'),
        delayed: queue('delayed'),
        meta: queue('meta'),
        marker: queue('marker'),
        pc: queue('pc'),
        stalled: queue('stalled'),
        completed: queue('completed'),
        taken: keys.taken(partition, workerId),
      },
      args: {
        slot: keys.slot(partition),
        queuePrefix: queue(''),
        notices: keys.notices(domain),
        stops: keys.stops(domain),
        noticeBytes,
        takenAt: Date.now(),
        clock,
        token,
        lockMs,
        turn: ++this.#count,
        want,
        trims,
        keeps: shownCompleted.count,
      },
      calls: ends.map(({ ready, completion }) => ({
        ...ready.call,
        completes: completion !== null,
        attempts: completion?.attempts ?? 0,
        returnValue: completion?.returnValue ?? '',
      })),
    });
    return {
      finished: replies.map((reply) => (reply instanceof Error ? reply : toFinishResult(reply))),
      taken: toTaken(added, clock, sealer),
    };
  }
}

/** What `takeJobs` returns. @param clock by which the attempts begin, epoch ms */
function toTaken(reply: ScriptReply, clock: number, sealer: Pick<Sealer, 'verify'>): TakenJobs {
  const [jobs = [], more, delayedUntil, pauses] = listOf(reply);
  if (jobs === 'stock') return { kind: 'stock', pauses: String(more) };
  return {
    kind: 'jobs',
    more: more !== 0,
    delayedUntil: Number(delayedUntil),
    pauses: String(pauses),
    jobs: listOf(jobs).map((job) => {
      const [id, head, mac] = listOf(job);
      const jobId = String(id);
      const begun = head === undefined ? null : toBeginResult(jobId, ['begun', head, mac ?? null, 1, clock, ''], sealer);
      return { jobId, begun };
    }),
  };
}
