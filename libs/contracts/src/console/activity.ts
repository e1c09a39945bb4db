import { z } from 'zod';

const count = z.number().int().min(0);

/** Calls that ended in one span of time. Latencies are in ms, from acceptance to end, of calls that ran; null when none did. */
const activityCounts = z.strictObject({
  calls: count,
  /** Calls that gave no success, by canonical code. */
  errors: z.record(z.string(), count),
  /** Those of them that are a fault of Invoq, of a tool, or of what stands behind it, and no matter of what the caller asked for. */
  system_errors: count,
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  p99_ms: z.number().nullable(),
});

/** One second, or one minute. */
const activityBucket = activityCounts.extend({
  /** Its beginning. */
  at: z.iso.datetime(),
  by_tool: z.record(z.string(), activityCounts),
});
export type ActivityBucket = z.infer<typeof activityBucket>;

/** How many calls of a queue there are now. */
export const queueDepth = z.strictObject({
  /** All that have not ended: those that wait for a worker, run, or wait for a retry. */
  open: count,
  /** Those that wait for a worker. */
  waiting: count,
  /** When the one that has waited longest was accepted; null where none waits. */
  oldest_waiting_at: z.iso.datetime().nullable(),
});
export type QueueDepthShown = z.infer<typeof queueDepth>;

/** The queue of one domain now. */
const queueState = queueDepth.extend({
  domain: z.string(),
  /** Open calls from which on callers are refused. */
  limit: count,
  workers: count,
});
export type QueueState = z.infer<typeof queueState>;

/** When the last worker of a tenant's domain left, or was heard of; null while one is connected. */
export const unservedSince = z.iso.datetime().nullable();

/** The queue of a domain of a tenant's own workers. */
const ownQueueState = queueState.extend({ tenant_id: z.string(), unserved_since: unservedSince });
export type OwnQueueState = z.infer<typeof ownQueueState>;

/** The 5 minutes and the 3 hours as a whole, with the quantiles of all their calls; `at` is where they begin. */
const activitySums = z.strictObject({ seconds: activityBucket, minutes: activityBucket });
export type ActivitySums = z.infer<typeof activitySums>;

/**
 * Answer of `GET /admin/activity`. Buckets come oldest first; one in which nothing ended is missing. With `Accept: text/event-stream`
 * the same comes as events: `activity` with all of it, then each second `second` with the bucket that was closed and the queues, and now and
 * then the sums.
 */
export const activitySchema = z.strictObject({
  now: z.iso.datetime(),
  /** Of the last 5 minutes. */
  seconds: z.array(activityBucket),
  /** Of the last 3 hours. */
  minutes: z.array(activityBucket),
  sums: activitySums,
  queues: z.array(queueState),
  /** Of the domains that tenants' own workers serve now, or served in the last 7 days; at most 100. */
  own_queues: z.array(ownQueueState),
});
export type Activity = z.infer<typeof activitySchema>;

/** Event `second` of the stream. */
export const activitySecond = z.strictObject({
  bucket: activityBucket,
  /** Every few seconds, and with them the minute that ends or has just ended. */
  sums: activitySums.optional(),
  minute: activityBucket.optional(),
  queues: z.array(queueState),
  own_queues: z.array(ownQueueState),
});
export type ActivitySecond = z.infer<typeof activitySecond>;
