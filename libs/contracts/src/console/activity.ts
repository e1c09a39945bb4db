import { z } from 'zod';

const count = z.number().int().min(0);

/** Calls that ended in one span of time. Latencies are in ms, from acceptance to end, of calls that ran; null when none did. */
const activityCounts = z.strictObject({
  calls: count,
  /** Calls that gave no success, by canonical code. */
  errors: z.record(z.string(), count),
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

/** The queue of one domain now. */
const queueState = z.strictObject({
  domain: z.string(),
  /** Calls that wait or run. */
  open: count,
  /** Open calls from which on callers are refused. */
  limit: count,
  workers: count,
});
export type QueueState = z.infer<typeof queueState>;

/** The queue of a domain of a tenant's own workers. */
const ownQueueState = queueState.extend({ tenant_id: z.string() });
export type OwnQueueState = z.infer<typeof ownQueueState>;

/**
 * Answer of `GET /admin/activity`. Buckets come oldest first; one in which nothing ended is missing. With `Accept: text/event-stream`
 * the same comes as events: `activity` with all of it, then each second `second` with the bucket that was closed and the queues.
 */
export const activitySchema = z.strictObject({
  now: z.iso.datetime(),
  /** Of the last 5 minutes. */
  seconds: z.array(activityBucket),
  /** Of the last 3 hours. */
  minutes: z.array(activityBucket),
  queues: z.array(queueState),
  /** Of the domains that tenants' own workers serve now; at most 100. */
  own_queues: z.array(ownQueueState),
});
export type Activity = z.infer<typeof activitySchema>;

/** Event `second` of the stream. */
export const activitySecond = z.strictObject({
  bucket: activityBucket,
  queues: z.array(queueState),
  own_queues: z.array(ownQueueState),
});
export type ActivitySecond = z.infer<typeof activitySecond>;
