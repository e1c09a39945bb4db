import { z } from 'zod';
import { moment, pageCursor, pagination } from './past.js';

/**
 * Calls of a batch.
 * @limit a tenant: calls of a batch; INVALID_PARAMS
 */
export const mostBatchCalls = 10_000;
/**
 * Bytes of the body that brings them.
 * @limit a tenant: bytes of a batch; PAYLOAD_TOO_LARGE
 */
export const mostBatchBytes = 64 * 1024 * 1024;

/** One call of a batch: a line of NDJSON, or an item of `calls`. */
export const batchCall = z.strictObject({
  /** Tells this call from the others in the results. */
  id: z.union([z.string().max(200), z.number()], 'must be a text or a number').optional(),
  /** Name, alias or `name@range`. */
  name: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** As of a single call. */
  options: z.record(z.string(), z.unknown()).optional(),
});
export type BatchCall = z.output<typeof batchCall>;

/** Calls a second. */
const rate = z.number().min(0.01).max(10_000);

/** Which failed calls are tried again: those that meet each filter, or those with these ids. */
const replaySelection = z
  .strictObject({
    tool: z.string().max(128).optional(),
    /** Canonical or the tool's own, such as `TIMEOUT`. */
    code: z.string().max(128).optional(),
    /** Ended at this time or after, and before. */
    from: moment.optional(),
    to: moment.optional(),
    /** Those that the caller's key made for this user, and for whom it calls again. */
    user: z.string().min(1).max(128).optional(),
    job_ids: z.array(z.string().max(200)).min(1).max(mostBatchCalls).optional(),
  })
  .refine(({ job_ids, ...filters }) => job_ids === undefined || Object.values(filters).every((filter) => filter === undefined), {
    path: ['job_ids'],
    error: 'must be given alone',
  });
export type ReplaySelection = z.output<typeof replaySelection>;

/** A JSON body of `POST /batches`: calls, which are read one by one and each by itself, or failed calls that are tried again. */
export const newBatch = z
  .strictObject({
    calls: z.array(z.unknown()).max(mostBatchCalls).optional(),
    replay: replaySelection.optional(),
    /** Calls that begin in a second at the most. */
    rate_per_s: rate.optional(),
  })
  .refine(({ calls, replay }) => (calls === undefined) !== (replay === undefined), {
    path: ['calls'],
    error: 'must be given, or replay, and not both',
  });
export type NewBatch = z.output<typeof newBatch>;

const dryRun = z.enum(['true', 'false'], 'must be true or false').optional();

/** What is asked with `dry_run=true`: how many calls it would be. */
export const dryRunCount = z.strictObject({ count: z.number() });
export type DryRunCount = z.infer<typeof dryRunCount>;

/** Body of `POST /jobs/cancel`: calls that have not ended and meet each filter. */
export const cancelSelection = z.strictObject({
  tool: z.string().max(128).optional(),
  state: z.enum(['waiting', 'active', 'delayed', 'resting']).optional(),
  /** Accepted at this time or after, and before. */
  from: moment.optional(),
  to: moment.optional(),
  /** Those of this user, for whom the caller's key may act. */
  user: z.string().min(1).max(128).optional(),
});
export type CancelSelection = z.output<typeof cancelSelection>;

/** Parameters of `POST /jobs/cancel`. */
export const cancelQuery = z.strictObject({ dry_run: dryRun });

/** Answer of `POST /jobs/cancel`. */
export const cancelledJobs = z.strictObject({
  /** Calls that are cancelled now. */
  cancelled: z.number(),
  /** Where older calls were not looked at: the `to` to go on with. */
  next_to: z.iso.datetime().nullable(),
});
export type CancelledJobs = z.infer<typeof cancelledJobs>;

/** Parameters of `POST /batches`. */
export const newBatchQuery = z.strictObject({
  rate_per_s: z.coerce.number().pipe(rate).optional(),
  /** For failed calls: `true` tells how many they are, and makes no batch. */
  dry_run: dryRun,
});

/** `accepting` while its calls are read, `running` until each of them has ended. */
const batchStates = ['accepting', 'running', 'completed', 'cancelled'] as const;

/** One batch as it is shown. The counts of calls add up to `total`. */
export const batch = z.strictObject({
  batch_id: z.string(),
  state: z.enum(batchStates),
  total: z.number(),
  /** Not called yet. */
  waiting: z.number(),
  /** Called, and not ended. */
  active: z.number(),
  resting: z.number(),
  completed: z.number(),
  failed: z.number(),
  cancelled: z.number(),
  /** Why it was cancelled. */
  reason: z.string().nullable(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
});
export type Batch = z.infer<typeof batch>;

/** Answer of `POST /batches`, with status 202. */
export const startedBatch = z.strictObject({
  batch_id: z.string(),
  state: z.enum(batchStates),
  total: z.number(),
  links: z.strictObject({ self: z.string(), results: z.string(), events: z.string(), cancel: z.string() }),
});
export type StartedBatch = z.infer<typeof startedBatch>;

/** Parameters of `GET /batches`. */
export const batchesQuery = z.strictObject({
  state: z.enum(batchStates).optional(),
  cursor: pageCursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type BatchesQuery = z.output<typeof batchesQuery>;

/** Answer of `GET /batches`, newest first. */
export const batchPage = z.strictObject({ batches: z.array(batch), pagination });
export type BatchPage = z.infer<typeof batchPage>;

/** Parameters of `GET /batches/{id}/results`. */
export const batchResultsQuery = z.strictObject({
  /** The results after this index; from the first where it is absent. */
  after: z.coerce.number().int().min(-1).max(mostBatchCalls).default(-1),
  /** Seconds that are waited for one that has not ended. */
  wait: z.coerce.number().min(0).max(60).default(0),
});
export type BatchResultsQuery = z.output<typeof batchResultsQuery>;
