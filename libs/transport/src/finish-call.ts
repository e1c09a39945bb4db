import { callOverheadBytes, endedHead, type CallEnd } from './call-bodies.js';
import { historyEntry } from './call-history.js';
import { encode } from './codec.js';
import type { FinishRequest } from './finish-result.js';
import { recordLifeMs } from './lives.js';
import { domainOf, partitionOfJob, type RedisKeys } from './redis-keys.js';
import { shownFacts } from './tool-queue.js';

/** Endings up to this size, in bytes, are sent with their notice, which saves the waiter a read. */
const noticeBytes = 8_192;

/**
 * What the script `finish` is called with.
 * @param stored the end as it is stored
 * @param write name of this write
 */
export function finishCall(
  keys: RedisKeys,
  request: FinishRequest,
  { stored, write }: { readonly stored: CallEnd; readonly write: string },
) {
  const { jobId, head, run } = request;
  const { ending, cache, sealed } = stored;
  const partition = partitionOfJob(jobId);
  const domain = domainOf(partition);
  const kept = endedHead(head);
  const encoded = encode.ending(ending);
  return {
    keys: {
      invocation: keys.invocation(jobId),
      events: keys.events(jobId),
      open: keys.open(partition),
      openByTenant: keys.openByTenant(partition),
      flight: head.flightKey === null ? keys.invocation(jobId) : keys.flight(partition, head.flightKey),
      cache: keys.cache(partition, head.cacheKey ?? ''),
      sealed: keys.sealed(jobId),
      job: keys.job(jobId),
      ended: keys.endedCalls(partition),
      endedLost: keys.endedCallsLost(partition),
    },
    args: {
      jobId,
      now: ending.finishedAt,
      run: run ?? '',
      state: ending.state,
      head: kept,
      ending: encoded,
      shown: JSON.stringify(shownFacts(head)),
      bytes:
        callOverheadBytes +
        Buffer.byteLength(kept) +
        Buffer.byteLength(encoded) +
        (ending.body?.bytes ?? 0) +
        (ending.secrets?.bytes ?? 0) +
        (request.fileBytes ?? 0),
      tenant: head.caller.tenantId,
      keepMs: recordLifeMs,
      hasFlight: head.flightKey !== null,
      flightWindowMs: request.flightWindowMs ?? 0,
      cacheMs: head.cacheKey !== null && cache ? cache.lifeMs : 0,
      cacheEntry: cache ? encode.cacheEntry(cache.entry) : '',
      notices: keys.notices(domain),
      stops: run === null ? keys.stops(domain) : '',
      noticeBytes,
      unlessJoined: request.unlessJoined ?? false,
      sealed: sealed?.text ?? '',
      sealedMs: sealed?.lifeMs ?? 0,
      write,
      history: historyEntry(request),
    },
  };
}
