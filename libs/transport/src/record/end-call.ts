import { callOverheadBytes, endedHead, type CallEnd } from './call-bodies.js';
import { historyEntry } from './history-entry.js';
import { encode } from './codec.js';
import type { FinishRequest } from './finish-result.js';
import { type RedisKeys } from '../redis/redis-keys.js';
import { partitionOfJob } from '../redis/partition.js';
import { shownFacts } from './queued-job.js';

/** How the job of a call completes with it. */
export interface Completion {
  /** That the job has made, this one included. */
  readonly attempts: number;
  /** JSON. */
  readonly returnValue: string;
}

/** A call that ends, and its job with it; null where the job does not. */
export interface EndedJob {
  readonly ready: ReadyEnd;
  readonly completion: Completion | null;
}

/** An end that only has to be written. */
export interface ReadyEnd {
  readonly request: FinishRequest;
  readonly stored: CallEnd;
  /** What the call has of its own in the script `turn`. */
  readonly call: ReturnType<typeof endCall>;
}

/**
 * What an end has of its own in the script `turn`.
 * @param stored the end as it is stored
 * @param write name of this write
 */
export function endCall(keys: RedisKeys, request: FinishRequest, { stored, write }: { readonly stored: CallEnd; readonly write: string }) {
  const { jobId, head, attempt } = request;
  const { ending, cache, sealed } = stored;
  const partition = partitionOfJob(jobId);
  const start = keys.slot(partition).length;
  const kept = endedHead(head, ending.state);
  const encoded = encode.ending(ending);
  return {
    jobId,
    now: ending.finishedAt,
    attempt: attempt ?? '',
    state: ending.state,
    head: kept.isWhole ? '' : kept.text,
    ending: encoded,
    shown: JSON.stringify(shownFacts(head)),
    bytes:
      callOverheadBytes +
      Buffer.byteLength(kept.text) +
      Buffer.byteLength(encoded) +
      (ending.body?.bytes ?? 0) +
      (ending.secrets?.bytes ?? 0) +
      (request.fileBytes ?? 0),
    tenant: head.caller.tenantId,
    flight: head.flightKey === null ? '' : keys.flight(partition, head.flightKey).slice(start),
    flightWindowMs: request.flightWindowMs ?? 0,
    cache: head.cacheKey === null ? '' : keys.cache(partition, head.cacheKey).slice(start),
    cacheMs: head.cacheKey !== null && cache ? cache.lifeMs : 0,
    cacheEntry: head.cacheKey !== null && cache ? encode.cacheEntry(cache.entry) : '',
    unlessJoined: request.unlessJoined ?? false,
    unlessResting: request.unlessResting ?? false,
    atRest: request.atRest === undefined ? '' : String(request.atRest),
    sealed: sealed?.text ?? '',
    sealedMs: sealed?.lifeMs ?? 0,
    write,
    entry: historyEntry(request),
    hooked: head.hooked ?? false,
  };
}
