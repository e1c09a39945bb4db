import { hash } from 'node:crypto';
import { type Partition, partitionOfJob } from './partition.js';

/** Calls past their deadline or half done; ended ones that are not in the history. */
export type SweptFor = 'overdue' | 'history';

/**
 * Names of what belongs to one partition of a domain, or to a domain. All of a partition shares a hash tag, so one script may touch it and a
 * cluster spreads partitions.
 */
export class PartitionKeys {
  readonly #namespace: string;

  constructor(namespace: string) {
    if (!/^[a-z0-9-]{1,40}$/.test(namespace)) throw new Error(`INVOQ_NAMESPACE must match [a-z0-9-]{1,40}, not "${namespace}"`);
    this.#namespace = namespace;
  }

  /** Prefix that BullMQ puts before its own keys. */
  queuePrefix(partition: Partition): string {
    return `{${this.#namespace}:${partition}}`;
  }

  invocation(jobId: string): string {
    return this.#ofJob(jobId, 'invocation');
  }

  /** What the names of all keys of a partition begin with, but for those of BullMQ. */
  slot(partition: Partition): string {
    return this.#in(partition, '');
  }

  events(jobId: string): string {
    return this.#ofJob(jobId, 'events');
  }

  /** The secrets of an outcome, encrypted; gone before the rest of it. */
  sealed(jobId: string): string {
    return this.#ofJob(jobId, 'sealed');
  }

  /** What the steps of a call gave that has not ended, encrypted. */
  steps(jobId: string): string {
    return this.#ofJob(jobId, 'steps');
  }

  /** The cached review of an answer, by the options of the review. */
  secondLook(jobId: string, asked: string): string {
    return this.#ofJob(jobId, `look:${asked}`);
  }

  /** Open invocations by deadline. */
  open(partition: Partition): string {
    return this.#in(partition, 'open');
  }

  /** Invocations that were accepted and whose job is still to be enqueued, by the time of their acceptance. */
  unqueued(partition: Partition): string {
    return this.#in(partition, 'unqueued');
  }

  /** Invocations that rest, by the end of their rest. */
  resting(partition: Partition): string {
    return this.#in(partition, 'resting');
  }

  /** Those of a caller, by the beginning of their rest. */
  callerResting(partition: Partition, principal: string): string {
    return this.#in(partition, `caller-resting:${opaque(principal)}`);
  }

  /** How many calls wait for each pause, by its id. */
  paused(partition: Partition): string {
    return this.#in(partition, 'paused');
  }

  /** The calls that wait for a pause, by when they began to. */
  pausedCalls(partition: Partition, pauseId: string): string {
    return this.#in(partition, `paused:${pauseId}`);
  }

  /** Who sweeps a domain, and for what. */
  sweeper(partition: Partition, what: SweptFor): string {
    return this.#in(partition, what === 'overdue' ? 'sweeper' : `${what}-sweeper`);
  }

  /** Ended calls that are not in the history yet, some in an entry. */
  endedCalls(partition: Partition): string {
    return this.#in(partition, 'ended-together');
  }

  /** The same, one in an entry: from workers of the version before. */
  endedCallsOneByOne(partition: Partition): string {
    return this.#in(partition, 'ended');
  }

  /** How many ended calls found no room there. */
  endedCallsLost(partition: Partition): string {
    return this.#in(partition, 'ended-lost');
  }

  /** What webhooks are told of calls, and no row says: those that have gone to rest, and ended ones that found no room there. */
  outbox(partition: Partition): string {
    return this.#in(partition, 'outbox');
  }

  /** Open invocations counted by tenant. */
  openByTenant(partition: Partition): string {
    return this.#in(partition, 'open-by-tenant');
  }

  /** Bytes that the calls of a tenant hold, by the hour in which they are given back. */
  held(partition: Partition, tenant: string): string {
    return this.#in(partition, `held:${opaque(tenant)}`);
  }

  /** BullMQ's own: a job. */
  job(jobId: string): string {
    return this.queue(partitionOfJob(jobId), jobId);
  }

  /** BullMQ's own keys of a queue by their names, and what stands before each of them when the name is empty. */
  queue(partition: Partition, name: string): string {
    return `${this.queuePrefix(partition)}:${partition}:${name}`;
  }

  /** The last round that each tenant and user has a call in, while calls wait for each other. */
  rounds(partition: Partition): string {
    return this.#in(partition, 'rounds');
  }

  /** What the last turn of a worker took, by the worker's own id. */
  taken(partition: Partition, workerId: string): string {
    return this.#in(partition, `taken:${workerId}`);
  }

  /** Free places that a worker has offered a moment ago. */
  offer(partition: Partition): string {
    return this.#in(partition, 'offer');
  }

  /** Channel that tells a worker of jobs that it was handed; without a worker what the name of each begins with. */
  handed(domain: string, workerId = ''): string {
    return this.#in(domain, `handed:${workerId}`);
  }

  callerJobs(partition: Partition, principal: string): string {
    return this.#in(partition, `caller:${opaque(principal)}`);
  }

  idempotency(partition: Partition, parts: readonly string[]): string {
    return this.#in(partition, `idempotency:${opaque(JSON.stringify(parts))}`);
  }

  flight(partition: Partition, invocationKey: string): string {
    return this.#in(partition, `flight:${invocationKey}`);
  }

  cache(partition: Partition, invocationKey: string): string {
    return this.#in(partition, `cache:${invocationKey}`);
  }

  /** Since when cached answers are trusted, where what they were made from has changed. */
  cacheTrust(partition: Partition): string {
    return this.#in(partition, 'cache-trust');
  }

  /** Channel that tells gateways of such a change. */
  cacheChanges(domain: string): string {
    return this.#in(domain, 'cache-trust');
  }

  /** Channel that tells followers of new events and ends: those of one process, or of all for calls that an older version accepted. */
  notices(domain: string, listener?: string): string {
    return this.#in(domain, listener === undefined ? 'notices' : `notices:${listener}`);
  }

  /** Channel that tells workers to stop what someone else has ended. */
  stops(domain: string): string {
    return this.#in(domain, 'stops');
  }

  /** Never written: what a process may do with the keys of a domain is tried on it. */
  rightsProbe(partition: Partition): string {
    return this.#in(partition, 'rights');
  }

  /** Worker processes of a domain, by their ids. */
  workers(domain: string): string {
    return this.#in(domain, 'workers');
  }

  /** Calls that have come out of a rest and have to pass a flow, until somebody asks for their places. */
  unplaced(partition: Partition): string {
    return this.#in(partition, 'unplaced');
  }

  #ofJob(jobId: string, kind: string): string {
    return this.#in(partitionOfJob(jobId), `${kind}:${jobId}`);
  }

  #in(slot: string, rest: string): string {
    return inSlot(this.#namespace, slot, rest);
  }
}

/** A name that shares a slot with all of the same tag. */
export function inSlot(namespace: string, slot: string, rest: string): string {
  return `{${namespace}:${slot}}:${rest}`;
}

/** A hash as a name for text from outside: of one length, of safe characters, and without the text itself. */
export function opaque(text: string): string {
  return hash('sha256', text, 'base64url');
}
