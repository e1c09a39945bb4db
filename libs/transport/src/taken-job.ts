import { toBeginResult, type BeginResult } from './begin-result.js';
import type { FinishResult } from './finish-result.js';
import type { Partition, RedisKeys } from './redis-keys.js';
import { listOf, type ScriptReply } from './script.js';
import type { Sealer } from './sealing.js';

/** What a worker finds when it takes the next job of its queue. */
export type TakenJob =
  /** The queue is paused or bounded, or delayed jobs are due: BullMQ's own script must look. */
  | { readonly kind: 'stock' }
  /** `delayedUntil`: when the next delayed job is due, in epoch ms; 0 for none. */
  | { readonly kind: 'none'; readonly delayedUntil: number }
  | ({ readonly kind: 'job' } & FoundJob);

interface FoundJob {
  readonly jobId: string;
  /** Whether more jobs wait. */
  readonly more: boolean;
  /** As with `none`. */
  readonly delayedUntil: number;
  /** Names and values of BullMQ's, in turn. */
  readonly fields: readonly string[];
  /** Its run, or null where the worker begins it. */
  readonly begun: BeginResult | null;
}

export interface TakeTerms {
  /** Of the lock. */
  readonly token: string;
  readonly lockMs: number;
  /** Epoch ms by this machine's clock, as BullMQ has it. */
  readonly at: number;
  /** Epoch ms by the shared clock. */
  readonly now: number;
}

/** What the script `take` is called with. */
export function takeCall(keys: RedisKeys, partition: Partition, { token, lockMs, at, now }: TakeTerms) {
  const queue = (name: string): string => keys.queue(partition, name);
  return {
    keys: {
      wait: queue('wait'),
      active: queue('active'),
      prioritized: queue('prioritized'),
      delayed: queue('delayed'),
      meta: queue('meta'),
      marker: queue('marker'),
      pc: queue('pc'),
    },
    args: { queuePrefix: queue(''), recordPrefix: keys.invocations(partition), token, lockMs, takenAt: at, clock: now },
  };
}

/** What the script says of a job that is taken for the first time. */
const firstFields = ['name', 'opts', 'timestamp', 'delay', 'priority', 'atm', 'stc', 'ats', 'processedOn'] as const;

/** The reply of the script `take`. Throws TypeError for a reply that it does not give. */
export function toTakenJob(reply: ScriptReply, sealer: Pick<Sealer, 'verify'>): TakenJob {
  if (reply === 'stock') return { kind: 'stock' };
  const [kind, second, more, delayedUntil, values, begun = null] = listOf(reply);
  if (kind === 'none') return { kind, delayedUntil: Number(second) };
  const job = { kind: 'job', jobId: String(second), more: more !== 0, delayedUntil: Number(delayedUntil) } as const;
  const found = listOf(values ?? []);
  switch (kind) {
    case 'again':
      return { ...job, fields: found.map(String), begun: null };
    case 'job':
      return {
        ...job,
        fields: firstFields.flatMap((name, index) => (found[index] === null ? [] : [name, String(found[index])])),
        begun: toBeginResult(job.jobId, begun, sealer),
      };
    default:
      throw new TypeError(`Unknown reply ${String(kind)}`);
  }
}

/** A job that completes with the end of its call. */
export interface Completion {
  /** Of the lock of the next job, as of this one. */
  readonly lockMs: number;
  /** Of the job's lock, and for that of the next job. */
  readonly token: string;
  /** That the job has made, this one included. */
  readonly attempts: number;
  /** JSON. */
  readonly returnValue: string;
  /** Whether the next job is taken. */
  readonly takes: boolean;
  /** Whether jobs that the board no longer shows are dropped. */
  readonly trims: boolean;
}

/** What became of it. */
export interface CompletedJob {
  readonly finished: FinishResult;
  /** 0, or BullMQ's code for a job that is no longer this worker's. */
  readonly code: number;
  readonly taken: TakenJob | null;
  /** Epoch ms by this machine's clock. */
  readonly finishedOn: number;
}
