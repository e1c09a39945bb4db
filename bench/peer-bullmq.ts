// Plain BullMQ workers that give back what they get.
import { Worker } from 'bullmq';
import { bullQueues, redisAddress } from './system/bull-queue.js';
import { serveParent } from './system/parent.js';

const connection = redisAddress(process.env['BENCH_REDIS_URL'] ?? '');
for (const { name, places } of Object.values(bullQueues)) {
  const worker = new Worker(name, async (job): Promise<unknown> => job.data, { connection, concurrency: places });
  worker.on('error', (error) => {
    console.error(error);
  });
  await worker.waitUntilReady();
}
serveParent({});
