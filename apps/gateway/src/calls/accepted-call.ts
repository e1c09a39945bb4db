import type { Caller, RelayedAsk, Rest, ToolContract } from '#lib/contracts';
import type { CacheEntry, Follower, CallHead, CallRecord, Partition } from '#lib/transport';
import type { RequestFacts } from './call-facts.js';
import type { CallOptions } from './options.js';

/** A call as a door asks for it. */
export interface CallRequest {
  /** Name, alias or `name@range`. */
  readonly tool: string;
  /** Reads the parameters, given the contract: a query string is coerced by its schema. */
  readonly input: (contract: ToolContract) => unknown;
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly options: CallOptions;
  readonly idempotencyKey: string | null;
  readonly sessionId: string | null;
  /** Versions of the answer that the caller holds (`If-None-Match`). */
  readonly known: readonly string[];
  /** What a client of MCP can be asked besides forms; absent for every other. */
  readonly clientAnswers?: readonly RelayedAsk[];
  /** Whether its model can be given tools; absent for every other. */
  readonly clientModelTools?: boolean;
  /** True if the caller blocks until the answer. Otherwise the deadline is 24 h. */
  readonly waits: boolean;
  /** The job that this call replays. */
  readonly replayOf?: string;
  /** How many replays in a row it is the last of. */
  readonly replays?: number;
  /** Answers tools of this source document alone. */
  readonly source?: ToolContract['source'];
  /**
   * For the door of an internal tool. Only one call may be open under the key, where there is one; others join it. An exempt call is subject to
   * no policy, flow or pause, because the calls that it makes are. Budgets bound it: it costs what its model does.
   */
  readonly internal?: { readonly flightKey: string | null; readonly exempt: boolean };
  /** Refuses tools that change something, for requests that a client may repeat by itself (GET). */
  readonly readsOnly?: boolean;
}

/** An answer that the cache had. */
export interface CachedAnswer {
  readonly kind: 'cached';
  readonly entry: CacheEntry;
  /** How long the entry still lives. */
  readonly leftMs: number;
  /** The entry as it is stored. */
  readonly text: string;
  /** Which has the entry. */
  readonly partition: Partition;
}

/** A job to follow: a new one, or another request's that answers this one. */
export interface JobToFollow {
  readonly kind: 'accepted';
  readonly jobId: string;
  readonly head: CallHead;
  /** Null for a job that this request created. */
  readonly record: CallRecord | null;
  /** Of a call that this request created, which rests first. */
  readonly rest: Rest | null;
  /** Follows the job from before it was enqueued; null for a job that another request created. */
  readonly follower: Follower | null;
  /** When this caller stops waiting, in epoch milliseconds. */
  readonly deadline: number;
  /** True when the caller's own Idempotency-Key found an earlier call. */
  readonly replayed: boolean;
  /** True when the job is another request's, by Idempotency-Key or single flight. */
  readonly joined: boolean;
}

/** What became of a request. `input` holds the parameters as the contract parsed them. */
export type AcceptedCall = (CachedAnswer | JobToFollow) & {
  readonly contract: ToolContract;
  readonly input: Readonly<Record<string, unknown>>;
  /** Under which the cache has its answer, or would. */
  readonly key: string;
  /** `Catalog.tools` as the caller saw it when the tool was found. */
  readonly seen: readonly ToolContract[];
};
