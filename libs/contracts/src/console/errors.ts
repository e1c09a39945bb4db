import { z } from 'zod';
import { isTenantOfAll, moment, pageCursor, pageLimit, pagination, tenantFault, tenantFilter } from './past.js';

const count = z.number().int().min(0);
/** Whose fault: `caller` for what was asked for, or how often; `system` for a fault of Invoq, of a tool, or of what stands behind it. */
const errorCauses = ['caller', 'system'] as const;
export type ErrorCause = (typeof errorCauses)[number];

/** Parameters of `GET /errors`. Each filter that is given has to be met. */
export const errorsQuery = z
  .strictObject({
    /** Errors of the caller's own tenant; `all` has those of every tenant. */
    scope: z.enum(['tenant', 'all']).default('tenant'),
    tenant: tenantFilter,
    tool: z.string().max(128).optional(),
    /** Canonical code or the tool's own, such as `TIMEOUT` or `CITY_NOT_FOUND`. */
    code: z.string().max(128).optional(),
    cause: z.enum(errorCauses).optional(),
    /** At or after; an hour before `to` where it is not given. */
    from: moment.optional(),
    /** Before; now where it is not given. */
    to: moment.optional(),
    cursor: pageCursor.optional(),
    limit: pageLimit.default(50),
  })
  .refine(isTenantOfAll, tenantFault);
export type ErrorsQuery = z.infer<typeof errorsQuery>;

/** One call that ended with an error. Whoever may read it finds it by its trace. */
const errorSample = z.strictObject({
  at: z.iso.datetime(),
  trace_id: z.string(),
  /** Null for a call that was refused before it became a job. */
  job_id: z.string().nullable(),
  user_id: z.string().nullable(),
  /** What its caller read, or what the tool threw; at most 300 characters. Null after a day. */
  message: z.string().nullable(),
});
export type ErrorSample = z.infer<typeof errorSample>;

/** Errors of one kind. */
const errorKind = z.strictObject({
  /** What they have in common, as a hash: the six fields that follow. */
  id: z.string(),
  /** Null where more kinds were counted than have a place of their own. So are the tool, the tool's own code and the message. */
  tenant_id: z.string().nullable(),
  tool_name: z.string().nullable(),
  code: z.string(),
  native_code: z.string().nullable(),
  cause: z.enum(errorCauses),
  /** The message without what differs from call to call: `#` stands for a number or an id, `'…'` for a quoted text. */
  message: z.string().nullable(),
  count,
  /** How many of them in each step of `series`. */
  counts: z.array(count),
  /** Of those in this time. The first is exact to the step of what is stored: a minute, or a day. */
  first_at: z.iso.datetime(),
  last_at: z.iso.datetime(),
  /** The latest, newest first; at most 3. */
  samples: z.array(errorSample),
});
export type ErrorKind = z.infer<typeof errorKind>;

/**
 * Answer of `GET /errors`: what ended with an error in a time, refusals at the gateway included; the most frequent come first. Within the last
 * 24 hours a time has whole minutes, before that whole days of UTC.
 */
export const errorsPage = z.strictObject({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  total: z.strictObject({ caller: count, system: count }),
  /** Length of a step of the series, in ms. */
  step_ms: count,
  /** The beginning of each step, and how many errors it has. */
  series: z.array(z.strictObject({ at: z.iso.datetime(), caller: count, system: count })),
  errors: z.array(errorKind),
  pagination,
});
export type ErrorsPage = z.infer<typeof errorsPage>;
