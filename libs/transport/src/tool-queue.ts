import { Queue, type JobsOptions } from 'bullmq';
import type { RedisClient } from './redis-client.js';
import { domainNamed, domains, redact, type ToolContract } from '#lib/contracts';
import { withField, type InvocationHead } from './codec.js';
import { domainOf, partitionOf, partitionOfJob, type Partition, type RedisKeys } from './redis-keys.js';

/**
 * What BullMQ keeps of an invocation. The record of truth is the invocation store; this is for people who look at the
 * board, so parameters are already redacted.
 */
export interface QueuedInvocation {
  readonly trace_id: string;
  readonly tenant: string;
  readonly user: string | null;
  /** Until the call ends. */
  readonly input?: unknown;
}

/** The most bytes of parameters that the board shows. */
const maxShownBytes = 4_096;

/** Ended jobs that the board still shows. Their outcomes live in the invocation store. */
export const shownCompleted = { count: 500 };
const shownDays = 7;
const shownFailed = { count: 2_000, age: shownDays * 24 * 3_600 };

const commonOptions = {
  // The worker's own strategy: the delay is computed where the failure is judged.
  backoff: { type: 'custom' },
  removeOnComplete: shownCompleted,
  removeOnFail: shownFailed,
  stackTraceLimit: 1,
} satisfies JobsOptions;

export interface QueuedJob {
  readonly jobId: string;
  readonly tool: string;
  readonly maxAttempts: number;
  readonly priority: number;
  readonly shown: QueuedInvocation;
  /** The same as JSON. */
  readonly data: string;
}

interface AcceptedInvocation {
  readonly jobId: string;
  readonly head: InvocationHead;
  readonly contract: ToolContract | undefined;
  /** In which it is taken up, from its acceptance. Default 0: before those that wait. */
  readonly round?: number;
}

/** An accepted invocation as the queue and the board see it. A tool's own priority puts it so many rounds back. */
export function queuedJob({ jobId, head, contract, round = 0 }: AcceptedInvocation): QueuedJob {
  const input = contract ? redact(contract.input, 'input', head.input) : null;
  const text = JSON.stringify(input ?? null);
  const bytes = head.body?.bytes ?? Buffer.byteLength(text);
  const facts = shownFacts(head);
  const tooLarge = bytes > maxShownBytes ? { too_large_to_show_bytes: bytes } : null;
  return {
    jobId,
    tool: head.tool,
    maxAttempts: head.maxAttempts,
    priority: round + (contract?.priority ?? 0),
    shown: { ...facts, input: tooLarge ?? input },
    data: withField(facts, 'input', tooLarge ? JSON.stringify(tooLarge) : text),
  };
}

/** What the board shows of a call whatever its state. */
export function shownFacts({ traceId, caller }: InvocationHead): Omit<QueuedInvocation, 'input'> {
  return { trace_id: traceId, tenant: caller.tenantId, user: caller.userId };
}

/** One BullMQ queue for each partition. All but the first ones of our domains are opened when they are first used. */
export class ToolQueues {
  readonly #connection: RedisClient;
  readonly #keys: RedisKeys;
  readonly #queues = new Map<Partition, Queue<QueuedInvocation>>();

  /** @param names of domains; default: all of ours */
  constructor(connection: RedisClient, keys: RedisKeys, names: readonly string[] = Object.keys(domains)) {
    this.#connection = connection;
    this.#keys = keys;
    for (const name of names) this.#open(partitionOf(name));
  }

  /** Adding twice is the same as once while BullMQ knows the job; after that the record's end keeps it from running. */
  async add(job: QueuedJob): Promise<void> {
    await this.#of(job.jobId).add(job.tool, job.shown, jobOptions(job));
  }

  /** BullMQ's own word for the job's place, `unknown` when it has none. */
  async stateOf(jobId: string): Promise<string> {
    return this.#of(jobId).getJobState(jobId);
  }

  /** Takes a job that has not started out of the queue. A started one stays; its worker is told otherwise. */
  async drop(jobId: string): Promise<void> {
    await this.#of(jobId).remove(jobId);
  }

  /** Takes jobs off the board that ended 7 days ago. BullMQ itself looks for them only when another one fails. */
  async forgetEnded(partition: Partition): Promise<void> {
    const most = shownCompleted.count + shownFailed.count;
    for (const state of ['completed', 'failed'] as const) await this.queue(partition).clean(shownDays * 24 * 3_600_000, most, state);
  }

  queue(partition: Partition): Queue<QueuedInvocation> {
    const queue = this.#queues.get(partition);
    if (queue) return queue;
    const domain = domainOf(partition);
    if (!domainNamed(domain)) throw new RangeError(`No queue for the domain "${domain}"`);
    return this.#open(partition);
  }

  all(): readonly Queue<QueuedInvocation>[] {
    return [...this.#queues.values()];
  }

  /** Closes those of tenants' domains that are not among these. */
  async keepOwn(domainNames: readonly string[]): Promise<void> {
    const left = [...this.#queues].filter(([partition]) => isOwn(domainOf(partition)) && !domainNames.includes(domainOf(partition)));
    for (const [partition] of left) this.#queues.delete(partition);
    await Promise.all(left.map(async ([, queue]) => queue.close()));
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map((queue) => queue.close()));
  }

  #of(jobId: string): Queue<QueuedInvocation> {
    return this.queue(partitionOfJob(jobId));
  }

  #open(partition: Partition): Queue<QueuedInvocation> {
    const queue = new Queue<QueuedInvocation>(partition, { connection: this.#connection, prefix: this.#keys.queuePrefix(partition) });
    // Callers see a failed command where they await it; without a listener the same fault would end the process.
    queue.on('error', () => undefined);
    this.#queues.set(partition, queue);
    return queue;
  }
}

function isOwn(domainName: string): boolean {
  return !Object.hasOwn(domains, domainName);
}

/** The options that all jobs have, as JSON without its first brace. */
export const commonOpts = JSON.stringify(commonOptions).slice(1);

function jobOptions({ jobId, maxAttempts, priority }: QueuedJob): JobsOptions {
  return { jobId, attempts: maxAttempts, ...(priority > 0 && { priority }), ...commonOptions };
}
