import { z } from 'zod';
import { pageCursor, pagination } from './past.js';

/** Calls of a batch. */
export const mostBatchCalls = 10_000;
/** Bytes of the body that brings them. */
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

/** A JSON body of `POST /batches`. Its calls are read one by one, each by itself. */
export const newBatch = z.strictObject({
  calls: z.array(z.unknown()).max(mostBatchCalls),
  /** Calls that begin in a second at the most. */
  rate_per_s: rate.optional(),
});
export type NewBatch = z.output<typeof newBatch>;

/** Parameters of `POST /batches`. */
export const newBatchQuery = z.strictObject({ rate_per_s: z.coerce.number().pipe(rate).optional() });

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
