// A tool, its calls, and a log that can be read, for tests of this library.
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { pino, type Logger } from 'pino';
import { z } from 'zod';
import { defineTool, domains, type Caller, type ToolContract } from '#lib/contracts';
import { testFiles } from '#lib/testing';
import {
  EventLog,
  InvocationStore,
  newJobId,
  queuedJob,
  RedisKeys,
  Sealer,
  ToolQueues,
  type CallHead,
  partitionOf,
  type Partition,
} from '#lib/transport';

const terms = {
  name: 'sample',
  version: '1.0.0',
  title: 'Sample',
  description: 'A tool that does what its test asks for.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({ n: z.int().describe('A number.') }),
  output: z.strictObject({ n: z.int() }),
  errors: { NOT_THERE: 'RESOURCE_NOT_FOUND' },
  failures: { network: 'N', timeout: 'T', 'rate-limit': 'R', service: 'S', internal: 'I' },
  timeoutMs: 5_000,
  estimatedTokens: 5,
  examples: [{ input: { n: 1 }, output: { n: 1 } }],
} as const;

type Terms = Partial<Pick<ToolContract, 'retry' | 'cache' | 'singleFlight' | 'timeoutMs'>>;

/** The sample tool, on other terms where some are given. */
export const sampleTool = (own: Terms = {}) => defineTool({ ...terms, ...own });

const sampleCaller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };

interface JobWishes {
  readonly input?: Record<string, unknown>;
  /** Epoch milliseconds. Default: a minute from now. */
  readonly deadline?: number;
  readonly head?: Partial<CallHead>;
  /** Default: the first of `profile`. */
  readonly partition?: Partition;
  /** Whether its job is enqueued in the same step. Default false. */
  readonly enqueues?: boolean;
}

/** Stores and queues on a namespace of its own, and a way to have calls of `sample` accepted and enqueued. */
export function jobsOn(redis: Redis, namespace: string) {
  const keys = new RedisKeys(namespace);
  const sealingKey = { id: 'a', key: randomBytes(32) };
  const sealer = new Sealer([sealingKey]);
  const store = new InvocationStore({ redis, keys, sealer, files: testFiles(namespace) });
  const queues = new ToolQueues(redis, keys);

  async function accept({
    input = { n: 1 },
    deadline = Date.now() + 60_000,
    head,
    partition,
    enqueues = false,
  }: JobWishes = {}): Promise<string> {
    const jobId = newJobId(partition ?? partitionOf('profile'));
    const accepted: CallHead = {
      v: 1,
      tool: 'sample',
      version: '1.0.0',
      input,
      caller: sampleCaller,
      sessionId: null,
      traceId: 'trace_x',
      traceparent: '',
      createdAt: Date.now(),
      validationMs: 0,
      maxAttempts: 5,
      retry: true,
      flightKey: null,
      cacheKey: null,
      ...head,
    };
    await store.accept(domains.profile, {
      jobId,
      head: accepted,
      deadline,
      fingerprint: 'f',
      idempotencyKey: null,
      readCache: false,
      job: enqueues ? queuedJob({ jobId, head: accepted, contract: undefined }) : undefined,
    });
    return jobId;
  }

  async function enqueue(jobId: string): Promise<void> {
    const record = await store.read(jobId);
    if (!record) throw new Error('There is no such record');
    await queues.add(queuedJob({ jobId, head: record.head, contract: undefined }));
  }

  return { keys, sealingKey, sealer, store, queues, events: new EventLog(redis, keys), accept, enqueue };
}

/** A log that keeps its lines. */
export function readableLog(): { readonly log: Logger; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  return { log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) }), lines };
}
