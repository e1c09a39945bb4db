import { z } from 'zod';
import { policyName } from './policies.js';

const id = z.string().min(1).max(200);

/** Name of a flow, as of a policy. */
export const flowName = policyName;

/** What a flow lets through in each of its lines. */
const bounds = {
  /** CEL over `args`, `caller` and `tool`: calls with the same value are in one line. Default: all calls of the flow are. */
  key: z.string().trim().min(1).max(2_000).optional(),
  /** How many calls of a line run at a time. */
  concurrency: z.int().min(1).max(10_000).optional(),
  /** How many calls of a line begin in so many ms. */
  rate: z.strictObject({ max: z.int().min(1).max(10_000), per_ms: z.int().min(1).max(86_400_000) }).optional(),
};

const needsBound = { path: ['concurrency'], error: 'concurrency or rate is needed' };
function isBounded({ concurrency, rate }: { readonly concurrency?: unknown; readonly rate?: unknown }): boolean {
  return concurrency !== undefined || rate !== undefined;
}

/** A flow that the contract of a tool brings, for its calls. */
export const contractFlow = z.strictObject(bounds).refine(isBounded, needsBound);
export type ContractFlow = z.output<typeof contractFlow>;

/** Body of `PUT /flows/{name}`: calls that meet both `tool` and `domain`, where they are given. */
export const newFlow = z
  .strictObject({
    tool: id.optional(),
    /** One of the product, or one that workers of the tenant serve. */
    domain: id.optional(),
    ...bounds,
  })
  .refine(isBounded, needsBound);
export type NewFlow = z.output<typeof newFlow>;

/** Calls that wait for each other. */
export const flow = z.strictObject({
  name: z.string(),
  /** Who made it, and may change it. */
  by: z.enum(['operator', 'tenant']),
  /** Null for every one. */
  tool: z.string().nullable(),
  domain: z.string().nullable(),
  /** Null where all its calls are in one line. */
  key: z.string().nullable(),
  /** Null for any number. */
  concurrency: z.number().int().min(1).nullable(),
  rate: z.strictObject({ max: z.number().int(), per_ms: z.number().int() }).nullable(),
  /** Calls that wait in its lines, a few seconds ago; null where that is not the reader's to know. */
  waiting: z.number().int().min(0).nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  /** Why its key cannot be worked out by this version; null where it can. */
  problem: z.string().nullable(),
});
export type Flow = z.infer<typeof flow>;

/** Answer of `GET /flows`, by name: those that the reader may change, and those of the operator. */
export const flowList = z.strictObject({ flows: z.array(flow) });
export type FlowList = z.infer<typeof flowList>;

/** A line in which calls wait for each other. */
const waitingLine = z.strictObject({
  /** The name of its flow; of the tool, where the contract of a tool brings it. */
  flow: z.string(),
  by: z.enum(['operator', 'tenant', 'contract']),
  /** What its calls have in common, in words, such as `account 17`; null where that cannot be told now. */
  of: z.string().nullable(),
  /** What it lets through; null for any number. */
  concurrency: flow.shape.concurrency,
  rate: flow.shape.rate,
  /** Calls that have a place in it: they run, or are about to. */
  running: z.number().int().min(0),
  /** Calls that wait. */
  waiting: z.number().int().min(1),
  /** The first of them, and since when it waits. */
  first: z.string(),
  since: z.iso.datetime(),
});
export type WaitingLine = z.infer<typeof waitingLine>;

/** Answer of `GET /flow-lines`: the longest lines, the longest first. */
export const waitingLineList = z.strictObject({
  lines: z.array(waitingLine),
  /** How many there are. The gateway looks at 1,000. */
  total: z.number().int().min(0),
});
export type WaitingLineList = z.infer<typeof waitingLineList>;

/** Parameters of `GET /flow-lines`. */
export const waitingLinesQuery = z.strictObject({
  /** Only lines of flows of this name. */
  flow: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
