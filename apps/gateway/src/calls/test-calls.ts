// The pipeline on a real Redis, for tests of this folder: calls with a clock, contracts and a worker of the test's own.
import type { Redis } from 'ioredis';
import { Catalog, domains, Refusal, type Outcome, type ToolContract } from '#lib/contracts';
import { FileLinks } from '#lib/files';
import { createLogger } from '#lib/platform';
import { givenStores, newNamespace, testFiles, testRedis } from '#lib/testing';
import {
  CallCounts,
  EventLog,
  Followers,
  InvocationStore,
  RedisKeys,
  CallReports,
  Metrics,
  SharedClock,
  Sealer,
  TakeUpRate,
  ToolQueues,
  subscriberConnection,
  type Ending,
  type CallHead,
  type CallRecord,
  Partitions,
  ReadAnswers,
} from '#lib/transport';
import { JobPages } from '../records/job-pages.js';
import { ReviewCache } from '../metacognition/review-cache.js';
import { Admission } from './admission.js';
import { AnswerEnricher } from './answer-enricher.js';
import { Answers } from './answers.js';
import type { CallEvent } from './call.js';
import { CallAcceptor } from './call-acceptor.js';
import { Calls } from './calls.js';
import { Endings } from './endings.js';
import type { CallRequest } from './accepted-call.js';
import { Invoker } from './invoker.js';
import { JobCall, lost } from './job-call.js';
import { Limits } from './limits.js';
import { RecentAnswers } from './recent-answers.js';
import { ResultIds } from './result-ids.js';
import { answerOptionsOf } from './answer-enricher.js';
import { parseOptions } from './options.js';
import { newCaller, newFacts } from './test-request.js';
import { testTools } from './test-tools.js';
import { ToolDirectory } from './tool-directory.js';
import { noFaults } from '../test-log.js';

export interface TestCallsOptions {
  readonly contracts?: readonly ToolContract[];
  /** Where life cycles stand. Default: 2026-11-22. */
  readonly today?: Date;
  /** Default true. */
  readonly showDebug?: boolean;
  /** Bytes of a tenant in a domain. Default: any number. */
  readonly maxTenantBytes?: number;
  /** Default: 1. */
  readonly partitions?: number;
  /** Calls a second and a day of every tier. Default: a million. */
  readonly most?: { readonly perSecond?: number; readonly perDay?: number };
}

/** Ends a call as a worker does: keeps its answer where the contract says so. */
export async function endRun(
  { store, changes }: { readonly store: InvocationStore; readonly changes?: CallReports['changes'] },
  { jobId, head, attempt, startedAt, rested, contract, outcome, rest = {} }: EndedRun,
): Promise<void> {
  const finishedAt = Date.now();
  const state = outcome.ok ? 'completed' : 'failed';
  const ending: Ending = { ...rested, state, outcome, startedAt, finishedAt, attempts: attempt, executionMs: 2, networkMs: 0.5, ...rest };
  const finished = await store.finish({
    jobId,
    head,
    ending,
    attempt,
    cache:
      outcome.ok && contract?.cache
        ? { lifeMs: contract.cache.ttlSeconds * 1_000, entry: { cachedAt: finishedAt, jobId, outcome } }
        : undefined,
    flightWindowMs: contract?.singleFlight?.windowMs,
  });
  if (finished === 'ended') changes?.push({ jobId, head, state, startedAt, attempts: attempt, ending });
}

interface EndedRun {
  readonly jobId: string;
  readonly head: CallHead;
  readonly attempt: number;
  readonly startedAt: number;
  readonly rested?: Pick<Ending, 'restedMs' | 'readyAt'>;
  readonly contract: ToolContract | undefined;
  readonly outcome: Outcome;
  readonly rest?: Partial<Ending>;
}

/** The pipeline of one gateway. Several on one Redis and namespace are several gateways. */
export async function startCalls({ redis, namespace }: { redis: Redis; namespace: string }, options: TestCallsOptions = {}) {
  const subscriber = subscriberConnection({ REDIS_URL: givenStores().redisUrl });
  const log = createLogger('test', 'silent');
  const keys = new RedisKeys(namespace);
  const sealingKeys = [{ id: 'a', key: Buffer.alloc(32, 7) }];
  const sealer = new Sealer(sealingKeys);
  const files = testFiles(namespace);
  const store = new InvocationStore({
    redis,
    keys,
    sealer,
    files,
    ...(options.maxTenantBytes && { maxTenantBytes: options.maxTenantBytes }),
  });
  const partitions = new Partitions({ redis, keys, count: options.partitions ?? 1, everyMs: 100, onFault: () => undefined });
  const queues = new ToolQueues(redis, keys);
  const followers = new Followers(subscriber, { store, log: new EventLog(redis, keys) });
  await followers.start(keys, Object.keys(domains));
  const tools = new ToolDirectory(new Catalog(options.contracts ?? testTools), () => options.today ?? new Date('2026-11-22T00:00:00Z'));
  const { perSecond = 1_000_000, perDay = 1_000_000 } = options.most ?? {};
  const settings = {
    RATE_LIMIT_FREE: perSecond,
    RATE_LIMIT_PRO: perSecond,
    RATE_LIMIT_VIP: perSecond,
    TOOL_QUOTA_FREE: perDay,
    TOOL_QUOTA_PRO: perDay,
    TOOL_QUOTA_VIP: perDay,
    MAX_OPEN: [],
    TENANT_SHARE: [],
    SEALING_KEYS: sealingKeys,
    NODE_ENV: (options.showDebug ?? true) ? 'test' : 'production',
  } as const;
  const recentAnswers = new RecentAnswers(new ReadAnswers(redis, keys));
  const clock = new SharedClock();
  const metrics = new Metrics();
  const reports = new CallReports(log, clock.now, metrics);
  const stores = {
    store,
    partitions,
    queues,
    followers,
    sealer,
    recentAnswers,
    clock,
    metrics,
    reports,
    settings,
    log,
    accounts: { exchange: { see: async () => undefined } },
    servedDirectory: { accepting: () => null },
  };
  const limits = new Limits(new CallCounts(redis, keys), stores);
  const links = new FileLinks(sealingKeys);
  const answers = new Answers(stores, tools, links, new ResultIds(stores));
  const turns = { tell: async () => undefined };
  const endings = new Endings(stores, tools, { byId: async () => null, settle: async () => false }, turns);
  const reviews = new ReviewCache(async () => null, { redis, keys, log });
  const enricher = new AnswerEnricher(stores, tools, { inlined: async (answer) => answer }, reviews);
  await recentAnswers.follow(subscriber, [keys.cacheChanges('profile')]);
  const flows = {
    of: () => undefined,
    follow: async () => undefined,
    rests: () => undefined,
    enter: async () => Promise.resolve(null),
    leave: async () => Promise.resolve(),
  };
  const acceptor = new CallAcceptor(
    stores,
    limits,
    new Admission({ settings, metrics, log: noFaults }, new TakeUpRate(redis, keys)),
    { ask: async () => Promise.reject(new Error('nobody is asked')), takeBack: async () => undefined },
    { reserve: async () => Promise.resolve(null), release: async () => Promise.resolve() },
    { of: () => null },
    flows,
  );
  const rules = { approvalFor: () => null, spentFor: () => null };
  const webhookTenants = { has: () => false, webhookAt: () => undefined };
  const invoker = new Invoker(stores, tools, limits, rules, webhookTenants, acceptor);
  const services = { store, partitions, followers, answers, enricher, endings, clock };
  const calls = new Calls(stores, invoker, tools, answers, enricher, endings, flows);

  return {
    calls,
    pages: new JobPages(stores, answers, tools),
    store,
    partitions,
    queues,
    followers,
    endings,
    answers,
    links,
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
      if (begun.kind !== 'begun') throw new Error(`cannot run ${jobId}: ${begun.kind}`);
      await endRun({ store, changes: reports.changes }, { ...begun, jobId, contract: tools.contractOf(begun.head), outcome, rest });
    },
    /** The call of a job as a reader finds it, with a deadline of the test's own. */
    callOf: (record: CallRecord, deadline = record.deadline): JobCall =>
      new JobCall(services, {
        jobId: record.jobId,
        head: record.head,
        input: record.head.input,
        deadline,
        reader: record.head.caller,
        headers: {},
        joined: false,
        request: null,
        options: answerOptionsOf(record.head),
        record,
        rest: null,
        gone: lost,
        follower: null,
      }),
    record: async (jobId: string): Promise<CallRecord> => {
      const record = await store.read(jobId);
      if (!record) throw new Error(`no record of ${jobId}`);
      return record;
    },
    /** Moves the deadline of a record, as time does. */
    moveDeadline: async (jobId: string, deadline: number): Promise<void> => {
      await redis.hset(keys.invocation(jobId), 'deadline', deadline);
    },
    [Symbol.asyncDispose]: async () => {
      partitions.stop();
      followers.stop();
      await queues.close();
      subscriber.disconnect();
    },
  };
}

export type TestCalls = Awaited<ReturnType<typeof startCalls>>;

/** Two gateways on one Redis and namespace. @param counts how many partitions each gives to a domain */
export async function startTwoGateways(counts: readonly [number, number] = [1, 1]) {
  const namespace = newNamespace();
  const redis = testRedis(namespace);
  const stores = { redis, namespace };
  const [gateway, other] = await Promise.all([
    startCalls(stores, { partitions: counts[0] }),
    startCalls(stores, { partitions: counts[1] }),
  ]);
  return {
    stores,
    gateway,
    other,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([gateway[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
      await redis[Symbol.asyncDispose]();
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
