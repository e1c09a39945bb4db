import type { InvocationEvent } from '#lib/contracts';
import { decode, type CacheEntry, type InvocationHead } from './codec.js';
import { listOf, type ScriptReply } from './script.js';

export type Acceptance =
  /** `round`: where it stands among calls that wait for each other; 0 when it need not wait. */
  | { readonly kind: 'created'; readonly jobId: string; readonly round: number }
  /** The caller's own key was used before for the same call. */
  | { readonly kind: 'replayed'; readonly jobId: string }
  /** An equal call is running or has just run. */
  | { readonly kind: 'joined'; readonly jobId: string }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'cached'; readonly entry: CacheEntry; readonly leftMs: number }
  | { readonly kind: 'overloaded' }
  | { readonly kind: 'tenant-overloaded' };

export interface AcceptRequest {
  readonly jobId: string;
  readonly head: InvocationHead;
  readonly deadline: number;
  readonly fingerprint: string;
  readonly idempotencyKey: string | null;
  readonly readCache: boolean;
  /** False to make a run of its own, which later equal calls join. Default true. */
  readonly joinFlight?: boolean;
  readonly firstEvent: InvocationEvent;
}

/** What the accept script says. */
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
