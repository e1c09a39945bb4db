// A plain BullMQ worker that gives back what it gets, with as many places as our own worker has.
import { Worker } from 'bullmq';
import { domains } from '#lib/contracts';
import { bullQueue, redisAddress } from './system/bull-queue.js';
import { serveParent } from './system/parent.js';

const worker = new Worker(bullQueue, async (job): Promise<unknown> => job.data, {
  connection: redisAddress(process.env['BENCH_REDIS_URL'] ?? ''),
  concurrency: domains.profile.concurrency,
});
worker.on('error', (error) => {
  console.error(error);
});
await worker.waitUntilReady();
serveParent({});
