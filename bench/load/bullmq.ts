import { Queue, QueueEvents } from 'bullmq';
import { redisAddress, type BullQueue } from '../system/bull-queue.js';
import { assertSame, noRuns, type Call, type Driver, type Target } from './call.js';
import { newWeight, parametersOf } from './parameters.js';

const waitMs = 30_000;
let opened: { readonly queue: Queue; readonly events: QueueEvents } | null = null;

/** BullMQ as its documentation shows it: add a job, wait until it is finished. */
export const openBullMq =
  (plain: BullQueue) =>
  async ({ redisUrl }: Target, callers: number): Promise<Driver> => {
    const { queue, events } = await openQueue(plain, redisUrl);
    const call: Call = async () => {
      const parameters = parametersOf(newWeight());
      const job = await queue.add('calc', parameters);
      const answer: unknown = await job.waitUntilFinished(events, waitMs);
      assertSame(parameters.weight_kg, weightOf(answer));
    };
    return { calls: Array.from({ length: callers }, () => call), workerRuns: noRuns, [Symbol.asyncDispose]: async () => undefined };
  };

/** One for each process. Reads from the beginning: events that come while a listener starts would be missed. */
async function openQueue({ name }: BullQueue, redisUrl: string) {
  if (opened) return opened;
  const connection = redisAddress(redisUrl);
  const queue = new Queue(name, { connection, defaultJobOptions: { removeOnComplete: 1_000, removeOnFail: 1_000 } });
  const events = new QueueEvents(name, { connection, lastEventId: '0-0' });
  // Each waiter listens on both.
  queue.setMaxListeners(0);
  events.setMaxListeners(0);
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
  opened = { queue, events };
  return opened;
}

function weightOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'weight_kg' in answer ? answer.weight_kg : undefined;
}
