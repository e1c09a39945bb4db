import type { InvocationEvent } from '#lib/contracts';
import { decode, type CacheEntry, type InvocationHead } from './codec.js';
import { listOf, type ScriptReply } from './script.js';

/** What became of a request to accept an invocation. */
export type Acceptance =
  /** `round`: its place among calls that wait for each other, from 1; 0 when it need not wait. */
  | { readonly kind: 'created'; readonly jobId: string; readonly round: number }
  /** The caller's idempotency key was used before for the same call. */
  | { readonly kind: 'replayed'; readonly jobId: string }
  /** An equal call is running or has just run. */
  | { readonly kind: 'joined'; readonly jobId: string }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'cached'; readonly entry: CacheEntry; readonly leftMs: number }
  | { readonly kind: 'overloaded' }
  | { readonly kind: 'tenant-overloaded' };

/** An invocation that asks to be let in. */
export interface AcceptRequest {
  readonly jobId: string;
  readonly head: InvocationHead;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Of the parameters: the same idempotency key with another fingerprint is a conflict. */
  readonly fingerprint: string;
  readonly idempotencyKey: string | null;
  readonly readCache: boolean;
  /** False to make a run of its own, which later equal calls join. Default true. */
  readonly joinFlight?: boolean;
  readonly firstEvent: InvocationEvent;
}

/** The reply of the script `accept`. Throws TypeError for a reply that it does not give. */
export function toAcceptance(reply: ScriptReply, jobId: string): Acceptance {
  const [kind, first, second] = listOf(reply);
  switch (kind) {
    case 'created':
      return { kind, jobId, round: Number(first) };
    case 'replayed':
    case 'joined':
      return { kind, jobId: String(first) };
    case 'cached':
      return { kind, entry: decode.cacheEntry(String(first)), leftMs: Number(second) };
    case 'conflict':
    case 'overloaded':
    case 'tenant-overloaded':
      return { kind };
    default:
      throw new TypeError(`Unknown acceptance ${String(kind)}`);
  }
}
