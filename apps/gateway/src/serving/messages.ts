// What a worker and the gateway say to each other. docs/worker-protocol.md explains it to those who write a worker.
import { z } from 'zod';
import { failureKinds, servedDomainShape } from '#lib/contracts';

/** A worker sends nothing for at most this long, in ms. */
export const heartbeatMs = 5_000;
/** After this silence a worker is taken for lost, in ms. */
export const silenceMs = 15_000;

const maxMessages = 200;
const text = z.string().max(2_000);
const facts = z.record(z.string().max(50), z.union([z.string().max(200), z.number(), z.boolean()]));
/** Of the attempt's time, in ms: what the tool waited for other services. */
const network_ms = z.number().min(0).max(86_400_000).optional();
/** Names one attempt, as the gateway did. */
const attempt = z.string().max(120);

/** The body of `POST /workers`. */
export const connection = z.strictObject({
  protocol: z.literal(1, { error: 'must be 1, the version of the protocol that this gateway speaks' }),
  domain: z.string().regex(servedDomainShape, 'must be the name of a domain: a letter, then at most 18 of a-z, 0-9 and -'),
  /** Attempts that the worker runs at the same time. */
  concurrency: z.int().min(1).max(256).default(8),
  /** Contracts. Each is checked by itself, so that one that is refused does not stop the others. */
  tools: z.array(z.unknown()).min(1, 'must have at least 1 contract').max(100, 'must have at most 100 contracts'),
  /** For people who look at the workers. */
  name: z.string().max(100).optional(),
});

/** One message of a worker. Those of an attempt come in their order. */
const message = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('progress'), attempt, progress: z.number().min(0).max(100), message: text }),
  /** Counted from 1 within the attempt: one that is sent again, because its answer was lost, is taken once. */
  z.strictObject({ type: z.literal('output'), attempt, number: z.int().min(1).optional(), data: z.array(z.unknown()).min(1).max(1_000) }),
  z.strictObject({ type: z.literal('log'), attempt, level: z.enum(['debug', 'info', 'warn', 'error']), message: text }),
  z.strictObject({
    type: z.literal('done'),
    attempt,
    data: z.record(z.string(), z.unknown()),
    message: text.optional(),
    warnings: z.array(text).max(20).optional(),
    facts: facts.optional(),
    debug_info: z.record(z.string(), z.unknown()).optional(),
    /** Of the answer, for its ETag. */
    version: z.string().max(200).optional(),
    network_ms,
  }),
  /** The caller has this version of the answer. */
  z.strictObject({ type: z.literal('unchanged'), attempt, version: z.string().max(200), network_ms }),
  z.strictObject({
    type: z.literal('refused'),
    attempt,
    /** One of the contract's errors. */
    error: z.string().max(64),
    message: text,
    details: z
      .array(z.strictObject({ path: z.string().max(200), message: text }))
      .max(50)
      .optional(),
    extra: z.record(z.string(), z.unknown()).optional(),
    network_ms,
  }),
  /** The parameters break a rule that only the worker knows, such as a pattern. */
  z.strictObject({
    type: z.literal('invalid'),
    attempt,
    faults: z
      .array(z.strictObject({ path: z.string().max(200), message: text }))
      .min(1)
      .max(50),
  }),
  z.strictObject({
    type: z.literal('failed'),
    attempt,
    failure: z.enum(failureKinds),
    /** False: the same attempt would fail again. */
    retryable: z.boolean().default(true),
    /** How long the other side asked to be left alone, in ms. */
    hint_ms: z.int().min(0).max(86_400_000).optional(),
    cause: z.strictObject({ type: z.string().max(100), message: text, stack: z.string().max(8_000).optional() }).optional(),
    network_ms,
  }),
  /** The attempt was not begun, and may be given to another worker. */
  z.strictObject({ type: z.literal('return'), attempt }),
  /** The worker takes no more attempts, ends those it has, and leaves. */
  z.strictObject({ type: z.literal('drain') }),
]);

/** The body of `POST /workers/{id}/messages`. An empty list says that the worker is there. */
export const messages = z.strictObject({ messages: z.array(message).max(maxMessages, `must be at most ${maxMessages} messages`) });

export type WorkerMessage = z.output<typeof message>;
/** Messages that end an attempt. */
export type AttemptEnd = Extract<WorkerMessage, { type: 'done' | 'unchanged' | 'refused' | 'invalid' | 'failed' | 'return' }>;
export type ConnectionRequest = z.output<typeof connection>;

/** What the gateway says: the name of the event, and its data. */
export type GatewayEvent = 'welcome' | 'attempt' | 'stop' | 'settled' | 'tools' | 'drain' | 'ping';
