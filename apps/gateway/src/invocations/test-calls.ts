// The pipeline on a real Redis, for tests of this folder: calls with a clock, contracts and a worker of the test's own.
import { randomBytes } from 'node:crypto';
import { context, trace } from '@opentelemetry/api';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { Catalog, defineTool, domains, Refusal, type Caller, type Outcome, type ToolContract } from '#lib/contracts';
import { createLogger } from '#lib/platform';
import {
  CallCounts,
  EventLog,
  Followers,
  InvocationStore,
  RedisKeys,
  Sealer,
  ToolQueues,
  type Ending,
  type InvocationRecord,
} from '#lib/transport';
import type { RequestFacts } from '../http/request-facts.js';
import { ReviewCache } from '../metacognition/review-cache.js';
import { AnswerEnricher } from './answer-enricher.js';
import { Answers } from './answers.js';
import type { CallEvent } from './call.js';
import { Calls } from './calls.js';
import { Endings } from './endings.js';
import type { CallRequest } from './invocation.js';
import { Invoker } from './invoker.js';
import { JobCall, lost } from './job-call.js';
import { Limits } from './limits.js';
import { answerOptionsOf } from './answer-enricher.js';
import { parseOptions } from './options.js';
import { ToolDirectory } from './tool-directory.js';

const common = { domain: 'profile', version: '1.2.0', effect: 'read', timeoutMs: 1_000, estimatedTokens: 5 } as const;
const order = z.strictObject({ order: z.string().max(100), note: z.string().max(10).optional() });
const made = z.strictObject({ made: z.string() });
const example = [{ input: { order: 'a' }, output: { made: 'a' } }] as const;

/** Neither cached nor shared: each call is a job of its own. */
export const plain = defineTool({
  ...common,
  name: 'test_plain',
  aliases: ['TestPlain'],
  title: 'Plain',
  description: 'Makes what is ordered.',
  input: order,
  output: made,
  errors: { SOLD_OUT: 'RESOURCE_NOT_FOUND' },
  retry: { network: { times: 2, baseMs: 10 } },
  examples: example,
});

/** Kept for ten minutes, by `order` alone. */
const cached = defineTool({
  ...common,
  name: 'test_cached',
  title: 'Cached',
  description: 'Makes what is ordered, and keeps it.',
  input: order,
  output: made,
  errors: {},
  cache: { ttlSeconds: 600, keyParams: ['order'] },
  examples: example,
});

/** Equal calls share one run. */
const shared = defineTool({
  ...common,
  name: 'test_shared',
  title: 'Shared',
  description: 'Makes what is ordered once for all who order it at the same time.',
  input: order,
  output: made,
  errors: {},
  singleFlight: { windowMs: 0 },
  examples: example,
});

/** Working sessions are apart. */
const bySession = defineTool({
  ...common,
  name: 'test_session',
  title: 'By session',
  description: 'Makes what is ordered in a session.',
  input: order,
  output: made,
  errors: {},
  perSession: true,
  examples: example,
});

/** Announces its end, with a successor. */
export const ending2030 = defineTool({
  ...common,
  name: 'test_ending',
  title: 'Ending',
  description: 'Makes what is ordered until 2030.',
  input: order,
  output: made,
  errors: {},
  sunsetDate: '2030-01-01',
  replacement: 'test_plain',
  examples: example,
});

/** Changes something. */
const writing = defineTool({
  ...common,
  name: 'test_writing',
  title: 'Writing',
  description: 'Writes what is ordered.',
  effect: 'write',
  input: order,
  output: made,
  errors: {},
  examples: example,
});

export const testTools: readonly ToolContract[] = [plain, cached, shared, bySession, ending2030, writing];

let tenants = 0;
/** A caller of a tenant of its own. */
export function newCaller(rest: Partial<Caller> = {}): Caller {
  const tenantId = `tenant-${process.pid}-${++tenants}`;
  return { tenantId, userId: 'u', tier: 'pro', scopes: ['tools:read', 'tools:write'], credentialId: `key-${tenantId}`, ...rest };
}

/** What is known of a request that begins now. */
export function newFacts(traceId = `trace_${randomBytes(6).toString('hex')}`): RequestFacts {
  return {
    requestId: 'req-1',
    startedAt: performance.now(),
    traceId,
    derivedTraceId: traceId,
    w3cTraceId: '0'.repeat(32),
    traceparent: '',
    otel: context.active(),
    span: trace.getTracer('test').startSpan('request'),
    caller: null,
  };
}

export interface TestCallsOptions {
  readonly contracts?: readonly ToolContract[];
  /** Where life cycles stand. Default: 2026-11-22. */
  readonly today?: Date;
  /** Default true. */
  readonly showDebug?: boolean;
  /** Calls a second and a day of every tier. Default: a million. */
  readonly most?: { readonly perSecond?: number; readonly perDay?: number };
}

/** The pipeline of one gateway. Several on one Redis and namespace are several gateways. */
export async function startCalls(connections: { redis: Redis; subscriber: Redis; namespace: string }, options: TestCallsOptions = {}) {
  const { redis, subscriber, namespace } = connections;
  const log = createLogger('test', 'silent');
  const keys = new RedisKeys(namespace);
  const sealer = new Sealer([{ id: 'a', key: Buffer.alloc(32, 7) }]);
  const store = new InvocationStore({ redis, keys, sealer });
  const queues = new ToolQueues(redis, keys);
  const followers = new Followers(subscriber, { store, log: new EventLog(redis, keys) });
  await followers.start(keys, Object.keys(domains));
  const tools = new ToolDirectory(new Catalog(options.contracts ?? testTools), () => options.today ?? new Date('2026-11-22T00:00:00Z'));
  const { perSecond = 1_000_000, perDay = 1_000_000 } = options.most ?? {};
  const limits = new Limits(new CallCounts(redis, keys), {
    RATE_LIMIT_FREE: perSecond,
    RATE_LIMIT_PRO: perSecond,
    RATE_LIMIT_VIP: perSecond,
    TOOL_QUOTA_FREE: perDay,
    TOOL_QUOTA_PRO: perDay,
    TOOL_QUOTA_VIP: perDay,
  });
  const showDebug = options.showDebug ?? true;
  const answers = new Answers({ store, sealer, tools });
  const endings = new Endings({ store, queues, tools, log });
  const enricher = new AnswerEnricher({
    tools,
    fileInliner: { inlined: async (answer) => answer },
    reviews: new ReviewCache({ checker: async () => null, redis, keys, log }),
    showDebug,
  });
  const invoker = new Invoker({ tools, limits, store, queues, followers, showDebug, log });
  const services = { store, followers, answers, enricher, endings };
  const calls = new Calls({ ...services, invoker, tools });

  return {
    calls,
    store,
    queues,
    followers,
    endings,
    answers,
    enricher,
    tools,
    sealer,
    keys,
    /** A request for `test_plain` by a new caller. */
    request: (rest: Partial<Omit<CallRequest, 'input'>> & { readonly input?: unknown } = {}): CallRequest => ({
      tool: 'test_plain',
      caller: newCaller(),
      facts: newFacts(),
      options: parseOptions({}),
      idempotencyKey: null,
      sessionId: null,
      known: [],
      waits: true,
      ...rest,
      input: () => rest.input ?? { order: 'a' },
    }),
    /** Does what a worker does with a job: takes it up, and ends it. */
    work: async (jobId: string, outcome: Outcome = { ok: true, data: { made: 'a' } }, rest: Partial<Ending> = {}): Promise<void> => {
      const begun = await store.begin(jobId, Date.now());
      if (begun.kind !== 'run') throw new Error(`cannot run ${jobId}: ${begun.kind}`);
      const state = outcome.ok ? 'completed' : 'failed';
      const times = { startedAt: begun.startedAt, finishedAt: Date.now(), attempts: begun.run, executionMs: 2, networkMs: 0.5 };
      const contract = tools.contractOf(begun.head);
      await store.finish({
        jobId,
        head: begun.head,
        ending: { state, outcome, ...times, ...rest },
        run: begun.run,
        cache: contract?.cache && { lifeMs: contract.cache.ttlSeconds * 1_000, entry: { cachedAt: Date.now(), outcome } },
        flightWindowMs: contract?.singleFlight?.windowMs,
      });
    },
    /** The call of a job as a reader finds it, with a deadline of the test's own. */
    callOf: (record: InvocationRecord, deadline = record.deadline): JobCall =>
      new JobCall(services, {
        jobId: record.jobId,
        head: record.head,
        deadline,
        reader: record.head.caller,
        headers: {},
        joined: false,
        options: answerOptionsOf(record.head),
        record,
        gone: lost,
        follower: null,
      }),
    record: async (jobId: string): Promise<InvocationRecord> => {
      const record = await store.read(jobId);
      if (!record) throw new Error(`no record of ${jobId}`);
      return record;
    },
    /** Moves the deadline of a record, as time does. */
    moveDeadline: async (jobId: string, deadline: number): Promise<void> => {
      await redis.hset(keys.invocation(jobId), 'deadline', deadline);
    },
    [Symbol.asyncDispose]: async () => {
      followers.stop();
      await queues.close();
    },
  };
}

export type TestCalls = Awaited<ReturnType<typeof startCalls>>;

/** Two gateways on one Redis and namespace. */
export async function startTwoGateways({ redis, namespace, subscribe }: { redis: Redis; namespace: string; subscribe: () => Redis }) {
  const subscribers = [subscribe(), subscribe()] as const;
  const gateways = await Promise.all([
    startCalls({ redis, subscriber: subscribers[0], namespace }),
    startCalls({ redis, subscriber: subscribers[1], namespace }),
  ]);
  return {
    gateways,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(gateways.map((gateway) => gateway[Symbol.asyncDispose]()));
      for (const subscriber of subscribers) subscriber.disconnect();
    },
  };
}

export type TwoGateways = Awaited<ReturnType<typeof startTwoGateways>>;

/** Starts a call that becomes a job. */
export async function startJob(gateway: TestCalls, rest: Parameters<TestCalls['request']>[0] = {}): Promise<JobCall> {
  const call = await gateway.calls.start(gateway.request(rest));
  if (call.jobId === null) throw new Error('answered from the cache');
  return call;
}

/** Every event up to the end of the generator. */
export async function allOf(events: AsyncGenerator<CallEvent>): Promise<readonly CallEvent[]> {
  const seen: CallEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** The refusal that some work is expected to throw. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const thrown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Refusal)) throw new Error(`not refused: ${String(thrown)}`);
  return thrown;
}
