import type { Rest } from '#lib/contracts';
import { decode, type CacheEntry, type CallHead } from './codec.js';
import { listOf, type ScriptReply } from '../redis/script.js';
import type { QueuedJob } from './queued-job.js';

/** What became of a request to accept an invocation. */
export type Acceptance =
  /**
   * `round`: its place among calls that wait for each other, from 1; 0 when it need not wait. `head`: as it is stored, without
   * parameters that are too large for Redis.
   */
  | { readonly kind: 'created'; readonly jobId: string; readonly round: number; readonly head: CallHead }
  /** It is there, and rests. */
  | { readonly kind: 'resting'; readonly jobId: string; readonly rest: Rest; readonly head: CallHead }
  /** The caller's idempotency key was used before for the same call. */
  | { readonly kind: 'replayed'; readonly jobId: string }
  /** An equal call is running or has just run. */
  | { readonly kind: 'joined'; readonly jobId: string }
  | { readonly kind: 'conflict' }
  /** `text`: the entry as it is stored. */
  | { readonly kind: 'cached'; readonly entry: CacheEntry; readonly leftMs: number; readonly text: string }
  | { readonly kind: 'overloaded' }
  /** More calls stand before it than may. */
  | { readonly kind: 'too-late'; readonly ahead: number }
  | { readonly kind: 'tenant-overloaded' }
  /** The tenant holds as many bytes as it may. */
  | { readonly kind: 'tenant-full'; readonly usedBytes: number; readonly neededBytes: number; readonly maxBytes: number };

/** An invocation that asks to be let in. */
export interface AcceptRequest {
  readonly jobId: string;
  readonly head: CallHead;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Of the parameters: the same idempotency key with another fingerprint is a conflict. */
  readonly fingerprint: string;
  readonly idempotencyKey: string | null;
  readonly readCache: boolean;
  /** False to make a call of its own, which later equal calls join. Default true. */
  readonly joinFlight?: boolean;
  /** It is refused where it waits behind more calls than these. Default: any number. */
  readonly maxAhead?: number | undefined;
  /** It rests first, and its deadline counts from the end of that. */
  readonly rest?: Pick<Rest, 'reason' | 'until' | 'inputRequest' | 'pause' | 'flow'> | undefined;
  /** Enqueued in the same step, further back by the round that the call gets. Absent: the caller enqueues it. */
  readonly job?: QueuedJob | undefined;
}

/** What the script `accept` was asked. */
interface AskedAcceptance {
  readonly jobId: string;
  /** As it is stored. */
  readonly head: CallHead;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** The reply of the script `accept`. Throws TypeError for a reply that it does not give. */
export function toAcceptance(reply: ScriptReply, { jobId, head, bytes, maxBytes }: AskedAcceptance): Acceptance {
  const [kind, first, second] = listOf(reply);
  switch (kind) {
    case 'created':
      return { kind, jobId, round: Number(first), head };
    case 'replayed':
    case 'joined':
      return { kind, jobId: String(first) };
    case 'cached':
      return { kind, entry: decode.cacheEntry(String(first)), leftMs: Number(second), text: String(first) };
    case 'tenant-full':
      return { kind, usedBytes: Number(first), neededBytes: bytes, maxBytes };
    case 'too-late':
      return { kind, ahead: Number(first) };
    case 'conflict':
    case 'overloaded':
    case 'tenant-overloaded':
      return { kind };
    default:
      throw new TypeError(`Unknown acceptance ${String(kind)}`);
  }
}
