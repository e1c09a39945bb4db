// The stored forms of an invocation, which two processes exchange. Records of an older version must go on parsing: see the fixtures of
// the test beside this file.
import { z } from 'zod';
import { bodySchema, type StoredBody } from './bodies.js';
import {
  errorCodes,
  failureKinds,
  relayedAsk,
  restReasons,
  tiers,
  type Decision,
  type ErrorCode,
  type InvocationEvent,
  type KeptStep,
  type LoggedEvent,
  type Outcome,
  type Rest,
} from '#lib/contracts';

const familyNames = Object.keys(errorCodes);
const errorFamily = z.custom<ErrorCode>((value) => typeof value === 'string' && familyNames.includes(value));

export const callerSchema = z.object({
  tenantId: z.string(),
  userId: z.string().nullable(),
  tier: z.enum(tiers),
  scopes: z.array(z.string()).readonly(),
  tools: z.array(z.string()).readonly().optional(),
  toolset: z.string().optional(),
  credentialId: z.string(),
  credentialEndsAt: z.number().optional(),
  actor: z.object({ userId: z.string().nullable(), tier: z.enum(tiers) }).optional(),
  consoleSession: z.string().optional(),
  turnId: z.string().optional(),
  byCode: z.literal(true).optional(),
  conversationId: z.string().optional(),
});

const headSchema = z.object({
  /** 2 when the parameters are in the file store, so that a worker that does not know of it cannot run the call without them. */
  v: z.union([z.literal(1), z.literal(2)]),
  tool: z.string(),
  version: z.string(),
  /** The parameters; of those in the file store, and of an ended call, what readers of the record need. */
  input: z.record(z.string(), z.unknown()),
  /** True when an ended call has its parameters no more. */
  inputGone: z.boolean().optional(),
  /** Where the parameters are when they are too large for Redis. */
  body: bodySchema.optional(),
  caller: callerSchema,
  /** The working session that the caller named, if any. */
  sessionId: z.string().nullable(),
  /** The outward trace id. */
  traceId: z.string(),
  /** W3C trace context of the accepting request. */
  traceparent: z.string(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Time that the gateway took to validate the call. */
  validationMs: z.number(),
  /** Over all retry budgets together. */
  maxAttempts: z.number(),
  /** False when the caller asked for one attempt only. */
  retry: z.boolean(),
  /** Equal calls of one caller share one execution under this key; null where the contract does not share. */
  flightKey: z.string().nullable(),
  /** The answer is cached under this key; null where it is not cached. */
  cacheKey: z.string().nullable(),
  /** The caller's own id of the request, or ours. */
  requestId: z.string().optional(),
  /** The job that this one replays. */
  replayOf: z.string().optional(),
  /** Whether its tenant has webhooks: what becomes of it is kept for them, also where the history has no room. */
  hooked: z.boolean().optional(),
  /** How many replays in a row it is the last of. */
  replays: z.number().optional(),
  /** Who is told of its end: an address of the origin of this webhook. */
  callback: z.object({ url: z.string(), webhook: z.string() }).optional(),
  /** What it costs if it runs, in millionths of a US dollar, by its contract: what its handler reports comes on top. */
  costMicros: z.number().optional(),
  /** Whether room is held for it in budgets of its tenant: its end is counted there. */
  budgeted: z.boolean().optional(),
  /** What its caller is warned of, such as a budget that is nearly spent. */
  warnings: z.array(z.string()).optional(),
  /** The principal who has changed the parameters since they were accepted. */
  editedBy: z.string().optional(),
  /** The lines that it has to pass before it runs: each of a flow, by its name in Redis, what its calls have in common, in words, and whether it has a rate. */
  lines: z.array(z.object({ line: z.string(), flow: z.string(), of: z.string(), paced: z.boolean() })).optional(),
  /** Of a call that is approved first: when it runs at the earliest, in epoch ms. */
  runAt: z.number().optional(),
  /** Versions of the answer that the caller has. */
  known: z.array(z.string()).optional(),
  /** Of a call to an outside server that may ask: what its client of MCP can be asked besides forms. Absent where people answer instead. */
  clientAnswers: z.array(relayedAsk).readonly().optional(),
  /** Of the same: whether the model of its client can be given tools. */
  clientModelTools: z.boolean().optional(),
  /** What is added to the answer for every reader of the job. Absent: only the bytes of small files. */
  wishes: z
    .object({
      debug: z.boolean(),
      metacognition: z.boolean(),
      personality: z.record(z.string(), z.unknown()).optional(),
      inline_files: z.boolean(),
    })
    .optional(),
});

/** The part of an invocation that never changes after it is accepted. */
export type CallHead = z.infer<typeof headSchema>;

/** Whether a rate counts when it begins to run. */
export function isPaced({ lines }: Pick<CallHead, 'lines'>): boolean {
  return lines?.some(({ paced }) => paced) ?? false;
}

const toolErrorSchema = z.object({
  code: z.string(),
  family: errorFamily,
  native_code: z.string().optional(),
  message: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  retry_after_ms: z.number().optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
});

const outcomeSchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    data: z.unknown(),
    message: z.string().optional(),
    warnings: z.array(z.string()).optional(),
    explained: z.record(z.string(), z.unknown()).optional(),
    sealed: z.boolean().optional(),
    version: z.string().optional(),
    unchanged: z.boolean().optional(),
  }),
  z.object({
    ok: z.literal(false),
    error: toolErrorSchema,
    warnings: z.array(z.string()).optional(),
    explained: z.record(z.string(), z.unknown()).optional(),
  }),
]);

const decisionSchema: z.ZodType<Decision> = z.object({
  request: z.string(),
  action: z.enum(['accept', 'decline', 'cancel']),
  by: z.string(),
  at: z.number(),
  reason: z.string().optional(),
  edited: z.boolean().optional(),
});

const endingSchema = z.object({
  state: z.enum(['completed', 'failed', 'cancelled']),
  /** Without its data where that is in the file store. */
  outcome: outcomeSchema,
  /** Where the outcome is when it is too large for Redis. */
  body: bodySchema.optional(),
  /** Where its secrets are when they are. */
  secrets: bodySchema.optional(),
  startedAt: z.number().nullable(),
  finishedAt: z.number(),
  attempts: z.number(),
  /** Handler time of the last attempt. */
  executionMs: z.number(),
  /** The part of it spent waiting for upstreams and stores. */
  networkMs: z.number(),
  /** Of a call that has rested: for how long in all, and when it first waited for a worker, where it rested before. */
  restedMs: z.number().optional(),
  readyAt: z.number().optional(),
  /** What its handler has reported as costs, over all attempts, in millionths of a US dollar. */
  reportedMicros: z.number().optional(),
  /** The model that its handler asked last. */
  model: z.string().optional(),
  /** Of a call that a person has ended at rest. */
  decision: decisionSchema.optional(),
});

/** How an invocation ended, with its times. Written once. */
export interface Ending extends Omit<z.infer<typeof endingSchema>, 'outcome'> {
  readonly outcome: Outcome;
}

const inLineSchema = z.object({ name: z.string(), text: z.string(), place: z.number() });

const eventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), progress: z.number(), message: z.string() }),
  z.object({
    kind: z.literal('retry'),
    failure: z.enum(failureKinds),
    retry: z.number(),
    maxRetries: z.number(),
    delayMs: z.number(),
    error: z.object({ code: z.string(), message: z.string() }),
  }),
  z.object({
    kind: z.literal('resting'),
    reason: z.enum(restReasons),
    until: z.number(),
    inputRequest: z.string().optional(),
    flow: inLineSchema.optional(),
  }),
  z.object({ kind: z.literal('resumed'), reason: z.enum(restReasons) }),
  z.object({ kind: z.literal('output'), data: z.unknown() }),
  z.object({ kind: z.literal('end') }),
]);

const eventsSchema = z.array(eventSchema);

const restSchema = z.object({
  reason: z.enum(restReasons),
  since: z.number(),
  until: z.number(),
  inputRequest: z.string().optional(),
  pause: z.object({ id: z.string(), name: z.string(), why: z.string() }).optional(),
  flow: inLineSchema.optional(),
});

const stepSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('step'), data: z.unknown().optional() }),
  z.object({ kind: z.literal('sleep'), until: z.number() }),
  z.object({ kind: z.literal('hook'), until: z.number() }),
  z.object({ kind: z.literal('question'), id: z.string(), until: z.number() }),
  z.object({ kind: z.literal('connection'), id: z.string(), until: z.number() }),
  z.object({ kind: z.literal('answer'), data: z.unknown().optional() }),
  z.object({ kind: z.literal('timeout') }),
]);

const spentSchema = z.partialRecord(z.enum(failureKinds), z.number());
/** Retries used so far, by kind of failure. */
export type RetriesUsed = z.infer<typeof spentSchema>;

const cacheEntrySchema = z.object({
  cachedAt: z.number(),
  jobId: z.string().optional(),
  outcome: outcomeSchema,
  body: bodySchema.optional(),
});
export interface CacheEntry {
  readonly cachedAt: number;
  /** Whose answer it is; unknown of an entry of an older version. */
  readonly jobId?: string | undefined;
  /** Without its data where that is in the file store. */
  readonly outcome: Outcome;
  readonly body?: StoredBody | undefined;
}

export const decode = {
  head: (text: string): CallHead => headSchema.parse(JSON.parse(text)),
  /** Of a text whose signature holds: one of us has encoded it. */
  signedHead: (text: string): CallHead => JSON.parse(text),
  parameters: (text: string): CallHead['input'] => headSchema.shape.input.parse(JSON.parse(text)),
  outcome: (text: string): Outcome => outcomeSchema.parse(JSON.parse(text)),
  ending: (text: string): Ending => endingSchema.parse(JSON.parse(text)),
  /** Of a notice; null where a newer version has written it: then the record tells. */
  noticedEnding: (text: string): Ending | null => endingSchema.safeParse(JSON.parse(text)).data ?? null,
  event: (text: string, place: Pick<LoggedEvent, 'seq' | 'at'>): LoggedEvent => ({ ...eventSchema.parse(JSON.parse(text)), ...place }),
  /** Neighbours in the log, from a place on; null where a newer version has written them. */
  events: (text: string, { seq, at }: Pick<LoggedEvent, 'seq' | 'at'>): readonly LoggedEvent[] | null =>
    eventsSchema.safeParse(JSON.parse(text)).data?.map((event, index) => ({ ...event, seq: seq + index, at })) ?? null,
  rest: (text: string): Rest => restSchema.parse(JSON.parse(text)),
  step: (text: string): KeptStep => stepSchema.parse(JSON.parse(text)),
  decision: (text: string): Decision => decisionSchema.parse(JSON.parse(text)),
  spent: (text: string): RetriesUsed => (text ? spentSchema.parse(JSON.parse(text)) : {}),
  cacheEntry: (text: string): CacheEntry => cacheEntrySchema.parse(JSON.parse(text)),
};

export const encode = {
  head: (head: CallHead): string => JSON.stringify(head),
  parameters: (input: CallHead['input']): string => JSON.stringify(input),
  outcome: textOf,
  ending: ({ outcome, ...rest }: Ending): string => withField(rest, 'outcome', textOf(outcome)),
  event: (event: InvocationEvent): string => JSON.stringify(event),
  rest: ({ reason, since, until, inputRequest, pause, flow }: Rest): string =>
    JSON.stringify({ reason, since, until, inputRequest, pause, flow }),
  decision: (decision: Decision): string => JSON.stringify(decision),
  step: (step: KeptStep): string => JSON.stringify(step),
  spent: (spent: RetriesUsed): string => JSON.stringify(spent),
  cacheEntry: ({ outcome, ...rest }: CacheEntry): string => withField(rest, 'outcome', textOf(outcome)),
};

const texts = new WeakMap<Outcome, string>();

/** An outcome is measured, stored and cached, and made to text once. To remember a text costs as much as 300 bytes of JSON. */
function textOf(outcome: Outcome): string {
  const known = texts.get(outcome);
  if (known !== undefined) return known;
  const text = JSON.stringify(outcome);
  texts.set(outcome, text);
  return text;
}

/** The JSON of an object that has at least one field, and of another field whose JSON is known. */
export function withField(rest: object, name: string, text: string): string {
  return `${JSON.stringify(rest).slice(0, -1)},"${name}":${text}}`;
}
