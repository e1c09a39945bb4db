export { invalidateCache } from './record/invalidate-cache.js';
export { Leases } from './record/leases.js';
export { ActivityStore } from './past/activity-store.js';
export { ActivityWindow } from './past/activity-window.js';
export { ActivityWriter } from './past/activity-writer.js';
export { ErrorStore, errorHourMs, errorMinuteMs, type KindOfHour } from './past/error-store.js';
export { ErrorWriter, errorsHeldMs } from './past/error-writer.js';
export { type CountedKind, type CountedSample } from './past/call-error.js';
export { latencyClass, quantilesOf, type Quantiles } from './past/latency-classes.js';
export { WorkerPresence } from './serving/worker-presence.js';
export { CallReports } from './past/call-reports.js';
export { CallIndex, listedState, type FeedEntry, type ListedId, type CallList } from './past/call-index.js';
export { CallListWriter } from './past/call-list-writer.js';
export { toListedCall, type ListedCall } from './past/listed-call.js';
export { loggedCall, wholeMs, whoOf, type LoggedCall } from './past/logged-call.js';
export { Metrics } from './metrics.js';
export { periodAt, type Period } from './limits/budget-period.js';
export { spentInHistory } from './limits/spent-in-history.js';
export { toHistoryCall, type BackgroundWork } from './record/background-work.js';
export { BudgetCounts, type BoundingBudget, type CountedBudget, type HeldCall } from './limits/budget-counts.js';
export {
  FlowLines,
  type Entered,
  type FlowBounds,
  type LetGo,
  type LinePlace,
  type WaitingLine,
  type NumberedBounds,
  type SeenCall,
} from './limits/flow-lines.js';
export { CallCounts, type CallBounds, type Counted, type OverLimit } from './limits/call-counts.js';
export { decodeTicket, encodeTicket } from './record/ticket.js';
export { type CacheEntry, type Ending, type CallHead, type RetriesUsed } from './record/codec.js';
export { HistoryStream } from './past/history-stream.js';
export { OutboxEntries } from './past/outbox-entries.js';
export { costMicros, type HistoryCall } from './record/history-entry.js';
export { reportedIn, timesOf, type Reported } from './record/reported.js';
export {
  acceptedWithinMs,
  argumentsPurpose,
  askedRow,
  requestPurpose,
  sealedArguments,
  storeAsked,
  type AskedCall,
  type AskedStore,
  type NewInputRow,
} from './asked/asked-row.js';
export type { RestedCall } from './record/rest-entry.js';
export { FileStoreError, maxInlineBytes } from './record/bodies.js';
export { HookKeys } from './record/hook-keys.js';
export { EventLog } from './follow/event-log.js';
export type { Acceptance, AcceptRequest } from './record/acceptance.js';
export { ReadAnswers } from './record/read-answers.js';
export type { Follower } from './follow/follower.js';
export { Followers } from './follow/followers.js';
export type { CallRecord } from './record/call-record.js';
export type { BeginResult, BegunAttempt } from './record/begin-result.js';
export type { EndedCall, FinishRequest, FinishResult } from './record/finish-result.js';
export type { EndedJob, ReadyEnd } from './record/end-call.js';
export type { TakenJobs, TakenJob, TurnWish } from './record/turns.js';
export { mostTogether } from './record/groups.js';
export type { AttemptWrites } from './record/attempt-writes.js';
export { InvocationStore } from './record/invocation-store.js';
export { recordLifeMs } from './redis/lives.js';
export { PartitionKeys } from './redis/partition-keys.js';
export { RedisKeys } from './redis/redis-keys.js';
export { mostPartitions, newJobId, type Partition, partitionOf, partitionOfJob } from './redis/partition.js';
export { Partitions } from './queue/partitions.js';
export type { QueueDepth } from './record/open-calls.js';
export { OutsideTools, offersNotice, openedNotice, updatedNotice, type OpenedAddress } from './serving/outside-tools.js';
export { WatchedResources, type WatchedResource, type WatchedServer } from './serving/watched-resources.js';
export { serverRows, storedServers } from './serving/stored-servers.js';
export { BusyDomains } from './serving/busy-domains.js';
export { ServedLastSeen, type SeenDomain } from './serving/served-last-seen.js';
export { ServedPresence, type ConnectedDomain, type ServedName } from './serving/served-presence.js';
export { quotaSettings } from './limits/quota-settings.js';
export { QuotaTracker, type ChatUsage } from './limits/quota-tracker.js';
export { requestConnection, subscriberConnection, workerConnection } from './redis/connections.js';
export { checkRedis, watchEvictionPolicy } from './redis/redis-health.js';
export { watchRights, type RedisNeeds } from './redis/redis-rights.js';
export { isRedisFault, isRefusedByRedis } from './redis/redis-faults.js';
export { logRedisFaults, type RedisClient } from './redis/redis-client.js';
export { offerMs } from './scripts/offers.js';
export { stepShas } from './scripts/step-shas.js';
export { pausedMs, type PartitionPause } from './record/paused-calls.js';
export type { MovedCalls, WholeCall } from './record/moved-calls.js';
export { Sealer, type SealingKey } from './record/sealing.js';
export { SharedClock } from './redis/shared-clock.js';
export { SignedCursors } from './record/signed-cursors.js';
export { queuedJob, type JobData, type QueuedJob } from './record/queued-job.js';
export { ToolQueues } from './queue/tool-queue.js';
export { freeHeld } from './queue/free-held.js';
export { TakeUpRate } from './queue/take-up-rate.js';
export { isTurnToken, mintTurnToken, readTurnToken, type TurnAuthority } from './record/turn-token.js';
export { traceLists, TraceStore } from './past/trace-store.js';
