import { z } from 'zod';
import { moment, isTenantOfAll, pageCursor, pageLimit, pagination, pastDay, tenantFault } from './past.js';
import { callFilters, callOutcomes, callRow } from './calls.js';

const count = z.number().int().min(0);
export const endStates = ['completed', 'failed', 'cancelled'] as const;

/** An ended call in the history. It has no input and no result. */
export const pastCall = callRow.extend({
  state: z.enum(endStates),
  finished_at: z.iso.datetime(),
  duration_ms: z.number(),
  /** The principal who approved it with other parameters than its caller's. */
  edited_by: z.string().nullable(),
  /** The public id of the credential that made it. */
  credential_id: z.string(),
  /** Handler time of the last attempt, and the part of it that was spent waiting for upstreams and stores. */
  execution_ms: z.number(),
  network_ms: z.number(),
  /** Of the models that it asked; null for a tool that asks none. */
  input_tokens: count.nullable(),
  output_tokens: count.nullable(),
  /** What it cost, in millionths of a US dollar. */
  cost_micros: count,
  /** The model that it asked last; null for a call that asked none. */
  model: z.string().nullable(),
  /** The conversation that it belongs to: a turn, or what a turn has called. */
  conversation_id: z.string().nullable(),
});
export type PastCall = z.infer<typeof pastCall>;

/** Parameters of `GET /history`. Each filter that is given has to be met. */
export const historyQuery = callFilters
  .extend({
    state: z.enum(endStates).optional(),
    outcome: z.enum(callOutcomes).exclude(['open']).optional(),
    /** Ended at or after. */
    from: moment.optional(),
    /** Ended before. */
    to: moment.optional(),
    cursor: pageCursor.optional(),
    limit: pageLimit.default(100),
  })
  .refine(isTenantOfAll, tenantFault);
export type HistoryQuery = z.infer<typeof historyQuery>;

/** Answer of `GET /history`: those that ended last come first. */
export const historyPage = z.strictObject({ calls: z.array(pastCall), pagination });
export type HistoryPage = z.infer<typeof historyPage>;

export const sumGroups = ['day', 'tenant', 'user', 'key', 'tool', 'model', 'conversation'] as const;
export type SumGroup = (typeof sumGroups)[number];
const dayMs = 24 * 3_600_000;
const mostDays = 366;

/** Parameters of `GET /usage/calls`. Days are those of UTC. */
export const callSumsQuery = callFilters
  .pick({ scope: true, tenant: true, tool: true, user: true })
  .extend({
    conversation: z.guid().optional(),
    /** The first day; 29 days before `to` where it is not given. */
    from: pastDay.optional(),
    /** The last day; today where it is not given. */
    to: pastDay.default(() => new Date().toISOString().slice(0, 10)),
    /** What has a row of its own, separated by commas. */
    by: z
      .string()
      .default('day,tool')
      .transform((text) => text.split(','))
      .refine((names) => names.every((name) => sumGroups.some((group) => group === name)), {
        error: `must be one or more of ${sumGroups.join(', ')}, separated by commas`,
      })
      .transform((names) => sumGroups.filter((group) => names.includes(group))),
    cursor: pageCursor.optional(),
    limit: pageLimit.default(1_000),
  })
  .refine(isTenantOfAll, tenantFault)
  .transform(({ from, ...rest }) => ({
    ...rest,
    from: from ?? new Date(Date.parse(rest.to) - 29 * dayMs).toISOString().slice(0, 10),
  }))
  .refine(({ from, to }) => from <= to, { path: ['from'], error: 'must not be after to' })
  .refine(({ from, to }) => Date.parse(to) - Date.parse(from) < mostDays * dayMs, {
    path: ['from'],
    error: `must be less than ${mostDays} days before to`,
  });
export type CallSumsQuery = z.infer<typeof callSumsQuery>;

/** Calls that ran and have ended, summed. Answers from the cache are not among them. */
export const callSums = z.strictObject({
  from: z.iso.date(),
  to: z.iso.date(),
  sums: z.array(
    z.strictObject({
      /** These seven only where the query groups by them. */
      day: z.iso.date().optional(),
      tenant_id: z.string().optional(),
      /** Null for the calls of a tenant's own keys. */
      user_id: z.string().nullable().optional(),
      /** The public id of a key or token; empty for calls of before it was kept here. */
      credential_id: z.string().optional(),
      tool_name: z.string().optional(),
      /** Null for calls that asked none, and for those of before it was kept here; so is the conversation. */
      model: z.string().nullable().optional(),
      conversation_id: z.string().nullable().optional(),
      calls: count,
      completed: count,
      failed: count,
      cancelled: count,
      attempts: count,
      execution_ms: z.number(),
      /** Quantiles of the latencies of all these calls, from acceptance to end without rests: right within a tenth. Null where none is known. */
      p50_ms: z.number().nullable(),
      p95_ms: z.number().nullable(),
      p99_ms: z.number().nullable(),
      input_tokens: count,
      output_tokens: count,
      /** What they cost, in millionths of a US dollar. */
      cost_micros: count,
    }),
  ),
  pagination,
});
export type CallSums = z.infer<typeof callSums>;
