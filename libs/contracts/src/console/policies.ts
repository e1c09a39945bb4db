import { z } from 'zod';
import { tiers } from '../scopes.js';
import { mostRestMs } from '../rest.js';
import { moment } from './past.js';

/** What becomes of a call for which a policy holds. */
const rulings = ['deny', 'ask'] as const;

/** Name of a policy; policies are looked at in the order of their names. */
export const policyName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'must be a letter or digit, then at most 63 letters, digits, _ . or -');

const fields = z.strictObject({
  /** CEL over `args`, `caller.{tenant,user,tier,scopes,key}`, `tool.{name,domain,effect,version,served}` and `now`. */
  when: z.string().min(1).max(2_000),
  then: z.enum(rulings),
  /** What the caller is told, or the person who is asked. */
  message: z.string().min(1).max(500).optional(),
  /** For `ask`: how long a person has. Default: a day. */
  expires_ms: z.int().min(1_000).max(mostRestMs).optional(),
  /** For `ask`: whether who made the call may approve it, with the scope. Default false. */
  self: z.boolean().optional(),
});

/** Body of `PUT /policies/{name}`. */
export const newPolicy = fields.superRefine(({ then, expires_ms, self }, context) => {
  const fault = (path: string): void => context.addIssue({ code: 'custom', path: [path], message: `${path} belongs to then 'ask' alone` });
  if (then === 'deny' && expires_ms !== undefined) fault('expires_ms');
  if (then === 'deny' && self !== undefined) fault('self');
});
export type NewPolicy = z.output<typeof newPolicy>;

/** A rule of a tenant for the calls of its callers. */
export const policy = z.strictObject({
  name: z.string(),
  when: z.string(),
  then: z.enum(rulings),
  message: z.string().nullable(),
  expires_ms: z.number().nullable(),
  self: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  /** Why it cannot be worked out, by the version that runs; every call is denied then. Null where nothing is wrong. */
  problem: z.string().nullable(),
});
export type Policy = z.infer<typeof policy>;

/** Answer of `GET /policies`, by name: all that the tenant has. */
export const policyList = z.strictObject({ policies: z.array(policy) });
export type PolicyList = z.infer<typeof policyList>;

/** Body of `POST /policies/test`: a call that is not made. */
export const policyTest = z.strictObject({
  /** Instead of the tenant's policies. */
  policy: fields
    .pick({ when: true, message: true })
    .extend({ then: z.enum(rulings).default('deny') })
    .optional(),
  /** Name, alias or `name@range`. */
  tool: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** What differs from who asks. */
  caller: z
    .strictObject({
      user: z.string().max(200).nullable().optional(),
      tier: z.enum(tiers).optional(),
      scopes: z.array(z.string().max(100)).max(50).optional(),
      key: z.string().max(200).optional(),
    })
    .optional(),
  /** When the call comes. Default: now. */
  at: moment.optional(),
});
export type PolicyTest = z.output<typeof policyTest>;

/** What one policy says of the call. */
const triedPolicy = z.strictObject({
  /** Null for the one of the request. */
  name: z.string().nullable(),
  then: z.enum(rulings),
  /** Null where it could not be worked out. */
  holds: z.boolean().nullable(),
  error: z.string().nullable(),
  /** The parts that the outermost && or || joins, each with what it comes to by itself; null where that cannot be said. */
  because: z.array(z.strictObject({ part: z.string(), value: z.boolean().nullable() })),
  /** What one look took, in microseconds. */
  cost_us: z.number(),
});

/** Answer of `POST /policies/test`. */
export const policyVerdict = z.strictObject({
  outcome: z.enum(['allow', ...rulings]),
  /** The one that counts: the first by name that holds, or cannot be worked out. */
  policy: z.string().nullable(),
  message: z.string().nullable(),
  policies: z.array(triedPolicy),
});
export type PolicyVerdict = z.infer<typeof policyVerdict>;
