// The answers of the gateway as the wire contract defines them. The schemas are strict: an undocumented field fails the test.
import { z } from 'zod';

const isoUtc = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const ms = z.number().nonnegative();

const metadata = z.strictObject({
  tool_name: z.string(),
  timestamp: isoUtc,
  trace_id: z.string().regex(/^trace_[A-Za-z0-9_]{1,64}$/),
  execution_time_ms: ms.optional(),
  performance: z.strictObject({ validation_ms: ms, queue_ms: ms, network_ms: ms, processing_ms: ms, total_ms: ms }).optional(),
  cache: z.strictObject({ hit: z.boolean(), cached_at: isoUtc.optional(), ttl_remaining: z.number().positive().optional() }).optional(),
  job_id: z.string().optional(),
  attempts: z.int().nonnegative().optional(),
  cost: z.strictObject({ micros: z.int().nonnegative() }).optional(),
  tool_version: z.string().optional(),
  metacognition: z
    .strictObject({ checked: z.boolean(), needs_correction: z.boolean().optional(), correction: z.string().min(1).optional() })
    .optional(),
  warnings: z.array(z.string()).min(1).optional(),
});

const error = z.looseObject({
  code: z.string().min(1),
  native_code: z.string().optional(),
  message: z.string().min(1),
  retryable: z.boolean(),
  details: z.array(z.strictObject({ path: z.string(), message: z.string().min(1) })).optional(),
  retry_after_ms: z.int().positive().optional(),
});

const success = z.strictObject({
  success: z.literal(true),
  status: z.literal('success'),
  data: z.record(z.string(), z.unknown()),
  metadata,
  debug_info: z.record(z.string(), z.unknown()).optional(),
});
const failure = z.strictObject({
  success: z.literal(false),
  status: z.literal('error'),
  error,
  metadata,
  retry_after: z.int().positive().optional(),
  debug_info: z.record(z.string(), z.unknown()).optional(),
});

/** The unified envelope. */
export const envelopeShape = z.union([success, failure]).transform((envelope) => ({
  data: undefined,
  error: undefined,
  debug_info: undefined,
  retry_after: undefined,
  ...envelope,
}));
export type EnvelopeShape = z.output<typeof envelopeShape>;

export const nativeShape = z.strictObject({
  status: z.enum(['success', 'error']),
  data: z.record(z.string(), z.unknown()).nullable(),
  error_code: z.string().nullable(),
  message: z.string().min(1),
});

const links = z.strictObject({ self: z.string(), events: z.string(), cancel: z.string() });

const restShape = z.strictObject({
  reason: z.string(),
  since: isoUtc,
  until: isoUtc,
  input_request: z.string().optional(),
  pause: z.strictObject({ name: z.string(), reason: z.string() }).optional(),
  flow: z.strictObject({ name: z.string(), text: z.string(), place: z.number() }).optional(),
});

/** A 202. */
export const acceptedShape = z.strictObject({
  job_id: z.string(),
  state: z.string(),
  rest: restShape.optional(),
  tool_name: z.string(),
  trace_id: z.string(),
  links,
});

const listedJobShape = z.strictObject({
  job_id: z.string(),
  tool_name: z.string(),
  state: z.enum(['waiting', 'active', 'delayed', 'resting', 'completed', 'failed', 'cancelled']),
  rest: restShape.nullable(),
  progress: z.strictObject({ progress: z.number().min(0).max(100), message: z.string() }).nullable(),
  attempts_made: z.int().nonnegative(),
  max_attempts: z.int().positive(),
  trace_id: z.string(),
  created_at: isoUtc,
  started_at: isoUtc.nullable(),
  updated_at: isoUtc,
  finished_at: isoUtc.nullable(),
  result: envelopeShape.nullable(),
  links,
});

export const jobShape = listedJobShape.extend({
  input: z.record(z.string(), z.unknown()).nullable(),
  input_state: z.enum(['whole', 'masked', 'gone', 'large']),
  replay_of: z.string().nullable(),
  edited_by: z.string().optional(),
});

export const jobListShape = z.strictObject({
  jobs: z.array(listedJobShape),
  pagination: z.strictObject({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
});

export const batchShape = z.strictObject({
  results: z.array(
    z
      .looseObject({ id: z.union([z.string(), z.number()]) })
      .transform(({ id, ...envelope }) => ({ id, envelope: envelopeShape.parse(envelope) })),
  ),
});

export const progressShape = z.strictObject({
  progress: z.int().min(0).max(100),
  message: z.string().min(1),
  metadata: z.strictObject({ tool_name: z.string(), timestamp: isoUtc, trace_id: z.string() }),
});

export const retryingShape = z.strictObject({
  retry_count: z.int().positive(),
  max_retries: z.int().positive(),
  delay_ms: z.int().nonnegative(),
  error: z.strictObject({ code: z.string(), message: z.string() }),
  metadata: z.strictObject({ tool_name: z.string(), timestamp: isoUtc, trace_id: z.string() }),
});
