export { invalidateCache } from './invalidate-cache.js';
export { ActivityStore } from './activity/activity-store.js';
export { ActivityWriter } from './activity/activity-writer.js';
export { WorkerPresence } from './worker-presence.js';
export { runSink } from './runs/run-sink.js';
export { RunIndex, listOfState, type FeedEntry, type ListedId, type RunList } from './runs/run-index.js';
export { RunWriter } from './runs/run-writer.js';
export { toListedRun, type ListedRun } from './runs/listed-run.js';
export { recordCall, type CallRecord } from './call-record.js';
export * as metric from './metrics.js';
export { CallCounts, type CallBounds, type Counted, type OverLimit } from './call-counts.js';
export { decodeTicket, encodeTicket, type CacheEntry, type Ending, type InvocationHead, type RetriesUsed } from './codec.js';
export { EndedCalls, type EndedCall } from './call-history.js';
export { endedCall, wholeMs, whoOf, type EndedInvocation } from './ended-call.js';
export { FileStoreError } from './bodies.js';
export { EventLog } from './event-log.js';
export type { Acceptance } from './acceptance.js';
export { Followers, type Follower } from './followers.js';
export type { InvocationRecord } from './invocation-record.js';
export type { BeginResult } from './begin-result.js';
export type { FinishResult } from './finish-result.js';
export { InvocationStore } from './invocation-store.js';
export { recordLifeMs } from './lives.js';
export {
  domainOf,
  domainOfJob,
  mostPartitions,
  newJobId,
  type Partition,
  partitionNamed,
  partitionOf,
  partitionOfJob,
  RedisKeys,
} from './redis-keys.js';
export { Partitions } from './partitions.js';
export type { QueueDepth } from './open-calls.js';
export { OutsideTools } from './outside-tools.js';
export { ServedPresence, type ServedName } from './served-presence.js';
export { quotaSettings } from './quota-settings.js';
export { QuotaTracker, type ChatUsage } from './quota-tracker.js';
export { requestConnection, subscriberConnection, workerConnection } from './redis.js';
export { checkRedis, watchEvictionPolicy } from './redis-health.js';
export { watchRights, type RedisNeeds } from './redis-rights.js';
export { JoinedSteps } from './joined-steps.js';
export { SeparateSteps, type RunSteps } from './run-steps.js';
export { isRedisFault } from './redis-faults.js';
export { logRedisFaults, type RedisClient } from './redis-client.js';
export { stepShas } from './scripts/step-shas.js';
export { Sealer, type SealingKey } from './sealing.js';
export { sharedClock } from './shared-clock.js';
export { SignedCursors } from './signed-cursors.js';
export { queuedJob, ToolQueues, type QueuedInvocation, type QueuedJob } from './tool-queue.js';
export { TakeUpRate } from './take-up-rate.js';
export { isTurnToken, mintTurnToken, readTurnToken, type TurnAuthority } from './turn-token.js';
export { TraceStore } from './trace-store.js';
