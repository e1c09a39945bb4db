import { z } from 'zod';
import { policyName } from './policies.js';

const budgetPeriods = ['day', 'month'] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/** The most of a limit: a billion US dollars, in millionths of one. Sums of them are exact in every language. */
const mostMicros = 1_000_000_000_000_000;
const mostCalls = 1_000_000_000_000;
const id = z.string().min(1).max(200);

/** Name of a budget, as of a policy. */
export const budgetName = policyName;

/** Body of `PUT /budgets/{name}`. Whatever of `user`, `key` and `tool` is left out counts all of them. */
export const newBudget = z
  .strictObject({
    /** The caller's own, which is the default. */
    tenant: id.optional(),
    user: id.optional(),
    /** The public id of a key. */
    key: id.optional(),
    tool: id.optional(),
    period: z.enum(budgetPeriods),
    /** IANA: whose midnight begins a period. Default UTC. */
    time_zone: z.string().max(64).optional(),
    /** Millionths of a US dollar. */
    limit_micros: z.int().min(0).max(mostMicros).optional(),
    limit_calls: z.int().min(0).max(mostCalls).optional(),
    /** The share of a limit from which on it warns. Default 0.8. */
    warn_at: z.number().min(0).max(1).optional(),
  })
  .refine(({ limit_micros, limit_calls }) => limit_micros !== undefined || limit_calls !== undefined, {
    path: ['limit_micros'],
    error: 'limit_micros or limit_calls is needed',
  });
export type NewBudget = z.output<typeof newBudget>;

const count = z.number().int().min(0);

/** What calls of a tenant may cost, or how many there may be, in a period. */
export const budget = z.strictObject({
  name: z.string(),
  tenant: z.string(),
  /** Null for all. */
  user: z.string().nullable(),
  key: z.string().nullable(),
  tool: z.string().nullable(),
  period: z.enum(budgetPeriods),
  time_zone: z.string(),
  limit_micros: count.nullable(),
  limit_calls: count.nullable(),
  warn_at: z.number(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  /** In the present period: by calls that have ended, and held for those that are open. */
  spent: z.strictObject({
    micros: count,
    calls: count,
    reserved_micros: count,
    reserved_calls: count,
    since: z.iso.datetime(),
    resets_at: z.iso.datetime(),
  }),
});
export type Budget = z.infer<typeof budget>;

/** Answer of `GET /budgets`, by name: all that the tenant has. */
export const budgetList = z.strictObject({ budgets: z.array(budget) });
export type BudgetList = z.infer<typeof budgetList>;
