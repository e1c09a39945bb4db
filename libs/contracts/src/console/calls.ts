import { z } from 'zod';
import { jobStates, type JobState } from '../envelope.js';
import { shownRest } from '../wire/shown-rest.js';
import { isTenantOfAll, tenantFault, tenantFilter } from './past.js';

/** Whose runs: the caller's own, those of its tenant, those of every tenant. The last two are for administrators. */
const listScopes = ['mine', 'tenant', 'all'] as const;
export type ListScope = (typeof listScopes)[number];

/** One call in the lists of the console: what `GET /jobs?scope=` lists and `GET /jobs/feed` sends. It has no input and no result. */
export const callRow = z.strictObject({
  job_id: z.string(),
  tool_name: z.string(),
  tool_version: z.string(),
  state: z.enum(jobStates),
  /** How it failed, or was refused. Null while it is open and for a success. */
  error: z.strictObject({ code: z.string(), native_code: z.string().nullable() }).nullable(),
  tenant_id: z.string(),
  /** Null for a call of the tenant's own key. */
  user_id: z.string().nullable(),
  trace_id: z.string(),
  attempts_made: z.number().int(),
  max_attempts: z.number().int(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
  /** From acceptance to end in ms. */
  duration_ms: z.number().nullable(),
  /** The job that this one replays. */
  replay_of: z.string().nullable(),
});
export type CallRow = z.infer<typeof callRow>;

/** A call in a page of calls, where it may rest. */
const pagedCall = callRow.extend({
  /** What it rests for, with its place in a line as it is now; absent where it does not rest. */
  rest: shownRest.optional(),
});
export type PagedCall = z.infer<typeof pagedCall>;

/** How a call stands, as people see it: `refused` for one that ended, and whose answer is that it cannot be done as it was asked for. */
export const callOutcomes = ['succeeded', 'refused', 'failed', 'cancelled', 'open'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

export function outcomeOf({ state, error }: { readonly state: JobState; readonly error: object | null }): CallOutcome {
  if (state === 'completed') return error === null ? 'succeeded' : 'refused';
  return state === 'failed' || state === 'cancelled' ? state : 'open';
}

/** Filters of calls. Each that is given has to be met. */
export const callFilters = z.strictObject({
  scope: z.enum(listScopes).default('mine'),
  tenant: tenantFilter,
  state: z.enum(jobStates).optional(),
  outcome: z.enum(callOutcomes).optional(),
  tool: z.string().max(128).optional(),
  /** Canonical code or the tool's own, such as `TIMEOUT` or `CITY_NOT_FOUND`. */
  code: z.string().max(128).optional(),
  user: z.string().max(128).optional(),
});
export type CallFilters = z.infer<typeof callFilters>;

/** Parameters of `GET /jobs/feed`. */
export const callFeedQuery = callFilters.refine(isTenantOfAll, tenantFault);

/** Parameters of `GET /jobs?scope=`. */
export const callQuery = callFilters
  .extend({
    /** Accepted at or after. */
    from: z.iso.datetime({ offset: true }).optional(),
    /** Accepted before. */
    to: z.iso.datetime({ offset: true }).optional(),
    cursor: z.string().max(8_192).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .refine(isTenantOfAll, tenantFault);

/** Answer of `GET /jobs?scope=`, newest first. A page of a filter may be short, or empty, although there are more. */
export const callPage = z.strictObject({
  jobs: z.array(pagedCall),
  pagination: z.strictObject({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
});
export type CallPage = z.infer<typeof callPage>;

/**
 * Events of `GET /jobs/feed`. `run` has a call that has begun, or has ended; the same call comes again as it changes. `reset` comes first
 * where the place of `Last-Event-ID` is kept no more: read the list again.
 */
export type CallFeedEvent =
  | { readonly event: 'run'; readonly id: string; readonly data: CallRow }
  | { readonly event: 'reset'; readonly id: string; readonly data: Readonly<Record<string, never>> };

/** What `GET /jobs/{id}` says of a call's parameters. */
const callInput = z.strictObject({
  /** The parameters; sensitive ones are `[redacted]` for everybody but the caller of the call. Null where `state` is `gone` or `large`. */
  input: z.record(z.string(), z.unknown()).nullable(),
  /** `gone`: no longer kept. `large`: too large to show. */
  input_state: z.enum(['whole', 'masked', 'gone', 'large']),
  /** The job that this one replays. */
  replay_of: z.string().nullable(),
  /** The principal who approved it with other parameters than its caller's: these are shown. Absent for every other call. */
  edited_by: z.string().optional(),
});
export type CallInput = z.infer<typeof callInput>;

/** Body of `POST /jobs/{id}/replay`. Without `input` the parameters of the origin are used, which only its own caller can. */
export const replayRequest = z.strictObject({ input: z.record(z.string(), z.unknown()).optional() });

/** Answer of `POST /jobs/{id}/replay`, with status 202. */
export const replayedCall = z.strictObject({
  job_id: z.string(),
  state: z.enum(jobStates),
  tool_name: z.string(),
  trace_id: z.string(),
  replay_of: z.string(),
  links: z.strictObject({ self: z.string(), events: z.string(), cancel: z.string() }),
});
export type ReplayedCall = z.infer<typeof replayedCall>;
