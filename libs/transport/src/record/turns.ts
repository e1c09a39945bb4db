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

/** What a worker wants of its turn. */
export interface TurnWish {
  /** Jobs, at most. */
  readonly want: number;
  /** Places for jobs that are accepted from now on, which it may be handed. Default: none. */
  readonly offers?: number;
  /** The offer that is over, by the number of its turn, and the jobs that the worker has heard of since. */
  readonly closes?: { readonly turn: number; readonly known: readonly string[] } | null;
}

export interface TurnResult {
  /** The number of the turn. */
  readonly turn: number;
  /** Of each end, in their order. An Error is for that end alone. */
  readonly finished: readonly (FinishResult | Error)[];
  readonly taken: TakenJobs;
  /** Jobs that were handed to the worker under the offer that is over, and that it has not heard of. */
  readonly found: readonly TakenJob[];
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
  async take(partition: Partition, ends: readonly EndedJob[], taker: TurnTaker & TurnWish): Promise<TurnResult> {
    const completed = this.#completed + ends.filter(({ completion }) => completion).length;
    const trims = Math.floor(completed / trimEvery) > Math.floor(this.#completed / trimEvery);
    this.#completed = completed;
    return this.#run(partition, ends, { ...taker, trims });
  }

  /** The jobs in a message on the channel `handed` of a worker. */
  handed(message: string): readonly TakenJob[] {
    const [clock, ...lines] = message.split('\n');
    return lines.map((line) => {
      const [, id = line, mac, head] = /^(\S+) (\S+) (.*)$/.exec(line) ?? [];
      return toJob(head === undefined || mac === undefined ? [id] : [id, head, mac], Number(clock), this.#parts.sealer);
    });
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
    { want, trims, workerId, token, lockMs, offers = 0, closes = null }: TurnTaker & TurnWish & { readonly trims: boolean },
  ): Promise<TurnResult> {
    const { redis, keys, sealer, now } = this.#parts;
    const domain = domainOf(partition);
    const queue = (name: string): string => keys.queue(partition, name);
    const clock = now();
    const number = ++this.#count;
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
        offer: keys.offer(partition),
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
        turn: number,
        want,
        trims,
        keeps: shownCompleted.count,
        worker: workerId,
        offers,
        closes: closes?.turn ?? '',
        known: closes?.known.join(' ') ?? '',
      },
      calls: ends.map(({ ready, completion }) => ({
        ...ready.call,
        completes: completion !== null,
        attempts: completion?.attempts ?? 0,
        returnValue: completion?.returnValue ?? '',
      })),
    });
    return {
      turn: number,
      finished: replies.map((reply) => (reply instanceof Error ? reply : toFinishResult(reply))),
      taken: toTaken(added, clock, sealer),
      found: listOf(listOf(added).at(-1) ?? []).map((job) => toJob(listOf(job), clock, sealer)),
    };
  }
}

/** What `takeTurn` returns. @param clock by which the attempts begin, epoch ms */
function toTaken(reply: ScriptReply, clock: number, sealer: Pick<Sealer, 'verify'>): TakenJobs {
  const [jobs = [], more, delayedUntil, pauses] = listOf(reply);
  if (jobs === 'stock') return { kind: 'stock', pauses: String(more) };
  return {
    kind: 'jobs',
    more: more !== 0,
    delayedUntil: Number(delayedUntil),
    pauses: String(pauses),
    jobs: listOf(jobs).map((job) => toJob(listOf(job), clock, sealer)),
  };
}

function toJob([id, head, mac]: readonly ScriptReply[], clock: number, sealer: Pick<Sealer, 'verify'>): TakenJob {
  const jobId = String(id);
  return { jobId, begun: head === undefined ? null : toBeginResult(jobId, ['begun', head, mac ?? null, 1, clock, ''], sealer) };
}
