// What a worker and the gateway say to each other. docs/worker-protocol.md explains it to those who write a worker.
import { z } from 'zod';
import { scopeList } from '../console/accounts.js';
import { mostReportedMicros } from '../cost.js';
import { failureKinds } from '../errors.js';
import { contentTypeShape, fileOutput, mostFileBytes } from '../file-output.js';
import { mostQuestionCharacters, questionFault } from '../question.js';
import { mostRestMs } from '../rest.js';
import { tiers } from '../scopes.js';
import { stepNameShape } from '../steps.js';
import { servedDomainShape } from './served-tool.js';
import { workerLimits } from './worker-limits.js';

const text = z.string().max(workerLimits.text);
const facts = z.record(z.string().max(workerLimits.factName), z.union([z.string().max(workerLimits.fact), z.number(), z.boolean()]));
/** Of the attempt's time, in ms: what the tool waited for other services. */
const network_ms = z.number().min(0).max(workerLimits.waitMs).optional();
/** Names one attempt, as the gateway did. */
const attempt = z.string().max(workerLimits.attemptId);

/** Of a step, a sleep: no other of the call has it. */
const stepName = z.string().regex(stepNameShape, 'must be a name: 1 to 200 characters, no control characters');
/** In how long it is over at the latest. Without it, it is as an attempt before has asked. */
const delay_ms = z.number().min(0).max(mostRestMs).optional();
/** What a tool waits for: a time, that its hook is called, or that its caller answers. */
const wait = z.discriminatedUnion('reason', [
  z.strictObject({ name: stepName, reason: z.enum(['sleep', 'event']), delay_ms }),
  z.strictObject({
    name: stepName,
    reason: z.literal('question'),
    delay_ms,
    message: z.string().min(1).max(mostQuestionCharacters),
    schema: z.record(z.string(), z.unknown()).superRefine((schema, context) => {
      const fault = questionFault(schema);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    }),
  }),
]);

function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}

/** The body of `POST /workers`. */
export const workerConnection = z.strictObject({
  protocol: z.literal(1, { error: 'must be 1, the version of the protocol that this gateway speaks' }),
  domain: z.string().regex(servedDomainShape, 'must be the name of a domain: a letter, then at most 18 of a-z, 0-9 and -'),
  /** Attempts that the worker runs at the same time. */
  concurrency: z.int().min(1).max(workerLimits.concurrency).default(8),
  /** Contracts. Each is checked by itself, so that one that is refused does not stop the others. */
  tools: z
    .array(z.unknown())
    .min(1, 'must have at least 1 contract')
    .max(workerLimits.tools, `must have at most ${workerLimits.tools} contracts`),
  /** For people who look at the workers. */
  name: z.string().max(workerLimits.workerName).optional(),
});

/** One message of a worker. Those of an attempt come in their order. */
const message = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('progress'), attempt, progress: z.number().min(0).max(100), message: text }),
  /** Counted from 1 within the attempt: one that is sent again, because its answer was lost, is taken once. */
  z.strictObject({
    type: z.literal('output'),
    attempt,
    number: z.int().min(1).optional(),
    data: z.array(z.unknown()).min(1).max(workerLimits.outputEvents),
  }),
  /** What a step gave. It is kept once the gateway says so; until then it may be sent again. */
  z.strictObject({ type: z.literal('step'), attempt, name: stepName, data: z.unknown().optional() }),
  /**
   * Asks for a token of the caller's account; `number` counts from 1 within the attempt. One that is asked for again, because no answer came, is
   * answered again. `refused`: a token that the API has answered 401 to. `scopes`: rights that are needed besides those of the contract.
   */
  z.strictObject({
    type: z.literal('token'),
    attempt,
    number: z.int().min(1).max(1_000_000),
    refused: z.string().max(16_384).optional(),
    scopes: scopeList.optional(),
  }),
  /** What the attempt has cost so far, in millionths of a US dollar. Less than before changes nothing. */
  z.strictObject({ type: z.literal('cost'), attempt, micros: z.int().min(0).max(mostReportedMicros) }),
  /**
   * A piece of a file of the answer. Files count from 1 within the attempt, `offset` says how many bytes of it came before. The next piece is sent
   * once the gateway has said `file`; until then this one may be sent again.
   */
  z.strictObject({
    type: z.literal('file'),
    attempt,
    number: z.int().min(1).max(workerLimits.files),
    name: z.string().min(1).max(workerLimits.fileName),
    content_type: z.string().max(workerLimits.contentType).regex(contentTypeShape, 'must be a media type, such as image/png'),
    offset: z.int().min(0).max(mostFileBytes),
    data: z
      .string()
      .max(Math.ceil(workerLimits.filePieceBytes / 3) * 4)
      .refine(isBase64, 'must be bytes in base64, padded'),
    last: z.boolean().default(false),
  }),
  z.strictObject({ type: z.literal('log'), attempt, level: z.enum(['debug', 'info', 'warn', 'error']), message: text }),
  z.strictObject({
    type: z.literal('done'),
    attempt,
    data: z.record(z.string(), z.unknown()),
    message: text.optional(),
    warnings: z.array(text).max(workerLimits.warnings).optional(),
    facts: facts.optional(),
    debug_info: z.record(z.string(), z.unknown()).optional(),
    /** Of the answer, for its ETag. */
    version: z.string().max(workerLimits.answerVersion).optional(),
    network_ms,
  }),
  /** The caller has this version of the answer. */
  z.strictObject({ type: z.literal('unchanged'), attempt, version: z.string().max(workerLimits.answerVersion), network_ms }),
  z.strictObject({
    type: z.literal('refused'),
    attempt,
    /** One of the contract's errors. */
    error: z.string().max(workerLimits.errorName),
    message: text,
    details: z
      .array(z.strictObject({ path: z.string().max(workerLimits.path), message: text }))
      .max(workerLimits.faults)
      .optional(),
    extra: z.record(z.string(), z.unknown()).optional(),
    network_ms,
  }),
  /** The parameters break a rule that only the worker knows, such as a pattern. */
  z.strictObject({
    type: z.literal('invalid'),
    attempt,
    faults: z
      .array(z.strictObject({ path: z.string().max(workerLimits.path), message: text }))
      .min(1)
      .max(workerLimits.faults),
  }),
  z.strictObject({
    type: z.literal('failed'),
    attempt,
    failure: z.enum(failureKinds),
    /** False: the same attempt would fail again. */
    retryable: z.boolean().default(true),
    /** How long the other side asked to be left alone, in ms. */
    hint_ms: z.int().min(0).max(workerLimits.waitMs).optional(),
    cause: z
      .strictObject({ type: z.string().max(workerLimits.causeType), message: text, stack: z.string().max(workerLimits.stack).optional() })
      .optional(),
    network_ms,
  }),
  /** The attempt is over, and the call rests until the first of these. */
  z.strictObject({ type: z.literal('rest'), attempt, waits: z.array(wait).min(1).max(workerLimits.waits), network_ms }),
  /** The attempt was not begun, and may be given to another worker. */
  z.strictObject({ type: z.literal('return'), attempt }),
  /** The worker takes no more attempts, ends those it has, and leaves. */
  z.strictObject({ type: z.literal('drain') }),
]);

/** The body of `POST /workers/{id}/messages`. An empty list says that the worker is there. */
export const workerMessages = z.strictObject({
  messages: z.array(message).max(workerLimits.messages, `must be at most ${workerLimits.messages} messages`),
});

export type WorkerMessage = z.output<typeof message>;
/** Messages that end an attempt. */
export type AttemptEnd = Extract<WorkerMessage, { type: 'done' | 'unchanged' | 'refused' | 'invalid' | 'failed' | 'rest' | 'return' }>;
export type WorkerConnectionRequest = z.output<typeof workerConnection>;

// What the gateway says. A later gateway may add fields.

/** The first event of a connection. */
export const welcomeFrame = z.object({
  /** A part of an address. */
  worker: z.string().regex(/^[A-Za-z0-9_-]{1,120}$/, 'must be the id of a worker'),
  heartbeat_ms: z.number(),
  silence_ms: z.number(),
  /** Whether outputs may have numbers; older gateways refuse them. */
  output_numbers: z.boolean().default(false),
  /** Whether ends may have `network_ms`; older gateways refuse it. */
  network_times: z.boolean().default(false),
  /** Whether tools may have steps and rest; older gateways do not know of it. */
  steps: z.boolean().default(false),
  /** Whether tools may ask their callers; older gateways cannot. */
  questions: z.boolean().default(false),
  /** Whether tools may act with the accounts of their callers; older gateways do not know of it. */
  accounts: z.boolean().default(false),
  /** Whether they may ask for more rights of these; older gateways refuse that. */
  account_scopes: z.boolean().default(false),
  /** Whether tools may report what they cost; older gateways refuse that. */
  costs: z.boolean().default(false),
  /** Whether answers may have files; older gateways take none. */
  files: z.boolean().default(false),
  tools: z.array(
    z.object({ name: z.string(), version: z.string(), state: z.string(), reason: z.string().optional(), warnings: z.array(z.string()) }),
  ),
});
export type WelcomeFrame = z.output<typeof welcomeFrame>;

/** An attempt for the worker. */
export const attemptFrame = z.object({
  attempt: z.string(),
  tool: z.string(),
  version: z.string(),
  input: z.unknown(),
  effect_key: z.string(),
  number: z.number(),
  trace_id: z.string(),
  session_id: z.string().nullable(),
  caller: z.object({ tenant_id: z.string(), user_id: z.string().nullable(), tier: z.enum(tiers) }),
  known: z.array(z.string()).optional(),
  earlier_output: z.array(z.unknown()).optional(),
  /** What earlier attempts have kept. `over`: of a sleep. `state`: of a hook or a question, `waiting`, `called` or `answered`, `timeout`. */
  earlier_steps: z
    .array(
      z.object({
        name: z.string(),
        kind: z.string(),
        data: z.unknown().optional(),
        over: z.boolean().optional(),
        state: z.string().optional(),
      }),
    )
    .optional(),
  /** Where hooks of the call are called, and the key that signs their addresses. */
  hooks: z.object({ url: z.string(), key: z.string() }).optional(),
});
export type AttemptFrame = z.output<typeof attemptFrame>;

/** The attempt is not wanted any more. */
export const stopFrame = z.object({ attempt: z.string() });
/** A step that is kept. */
export const keptFrame = z.object({ attempt: z.string(), name: z.string() });
/** A token that a worker has asked for. It is short-lived, and is not to be kept or logged. */
export const tokenFrame = z.object({ attempt: z.string(), number: z.number(), access_token: z.string() });
export type TokenFrame = z.output<typeof tokenFrame>;
/** How many bytes of a file the gateway has, and the file once it has the last of them. */
export const fileFrame = z.object({ attempt: z.string(), number: z.number(), received: z.number(), file: z.object(fileOutput).optional() });
export type FileFrame = z.output<typeof fileFrame>;
/** Attempts whose end the gateway has. */
export const settledFrame = z.object({ attempts: z.array(z.string()) });
/** The tools that are served now. */
export const toolsFrame = z.object({ served: z.array(z.string()) });
/** The answer to a worker's messages. */
export const receivedMessages = z.object({ settled: z.array(z.string()), unknown: z.array(z.string()) });
