import { createRedisBackend, Worker, type RedisQueueBackend } from 'bullmq';
import type { Domain } from '#lib/contracts';
import type { Partition, JobData, RedisClient, RedisKeys } from '#lib/transport';
import { RetryLater } from './retry-later.js';

/** How often a job may be lost with its worker and be run again: one that takes two workers down with it is poison. */
export const maxStalls = 1;

/** A worker of BullMQ whose jobs are taken by hand: it moves them, and looks for stalled ones. */
export type ManualWorker = Worker<JobData, string, string, RedisQueueBackend>;

interface ManualWorkerParts {
  readonly domain: Domain;
  readonly partition: Partition;
  readonly keys: RedisKeys;
  readonly connection: RedisClient;
}

/** Not started: it takes nothing by itself. */
export function manualWorker({ domain, partition, keys, connection }: ManualWorkerParts): {
  readonly worker: ManualWorker;
  readonly backend: RedisQueueBackend;
} {
  let backend: RedisQueueBackend | null = null;
  const worker: ManualWorker = new Worker<JobData, string, string, RedisQueueBackend>(
    partition,
    null,
    {
      connection,
      prefix: keys.queuePrefix(partition),
      lockDuration: domain.lockMs,
      stalledInterval: domain.stalledCheckMs,
      maxStalledCount: maxStalls,
      settings: { backoffStrategy: (_attempts, _type, error) => (error instanceof RetryLater ? error.delayMs : 0) },
      autorun: false,
    },
    (...args) => (backend = createRedisBackend(...args)),
  );
  if (!backend) throw new TypeError('BullMQ has made no backend');
  return { worker, backend };
}
