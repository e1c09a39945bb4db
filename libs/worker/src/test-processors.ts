// Job processors for tests, on a real queue and real records, with a clock of the test's own.
import { Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { ToolContract } from '#lib/contracts';
import { CallReports, Metrics, partitionOf, type JobData } from '#lib/transport';
import type { Handler } from '#lib/handlers';
import { JobProcessor } from './process-job.js';
import { Registry } from './registry.js';
import { jobsOn, readableLog, sampleTool } from './test-jobs.js';

export type Run = Handler<object>['run'];

interface GivenTool {
  readonly contract?: ToolContract;
  readonly showCauses?: boolean;
}

/** Gives the input back. */
export const answer: Run = async (input) => input;

export function processorsOn(redis: Redis, namespace: string) {
  const jobs = jobsOn(redis, namespace);
  const { accept, enqueue, events, keys, queues, sealer, store } = jobs;
  const connection = redis.duplicate({ maxRetriesPerRequest: null });
  const worker = new Worker<JobData, string>('profile', null, { connection, prefix: keys.queuePrefix(partitionOf('profile')) });
  /** Of the processor; the store and the queue keep their own time. */
  const clock = { now: Date.now() };

  function processorOf(run: Run, contract: ToolContract = sampleTool(), showCauses = false) {
    const { log, lines } = readableLog();
    const registry = new Registry<object>('profile', [contract], [{ contract, run }]);
    const parts = {
      store,
      events,
      sealer,
      registry,
      services: {},
      log,
      reports: new CallReports(log, () => clock.now, new Metrics()),
      domain: 'profile',
      now: () => clock.now,
      random: () => 0.5,
      showCauses,
    };
    return { processor: new JobProcessor<object>(parts), lines };
  }

  /** Waits for a job and takes it from the queue, as a worker does. */
  async function take(): Promise<Job<JobData, string>> {
    for (;;) {
      const job = await worker.getNextJob('token');
      if (job) return job;
    }
  }

  /** A processor, and a call that was accepted, enqueued and taken from the queue. */
  async function given(run: Run, { contract, showCauses, ...wishes }: Parameters<typeof accept>[0] & GivenTool = {}) {
    const jobId = await accept(wishes);
    await enqueue(jobId);
    return { ...processorOf(run, contract, showCauses), jobId, job: await take() };
  }

  async function headOf(jobId: string) {
    const record = await store.read(jobId);
    if (!record) throw new Error('There is no such record');
    return record.head;
  }

  return {
    ...jobs,
    clock,
    processorOf,
    take,
    given,
    headOf,
    endingOf: async (jobId: string) => (await store.read(jobId))?.ending,
    kindsOf: async (jobId: string) => (await events.readAfter(jobId, 0)).map(({ kind }) => kind),
    reset: async () => {
      await queues.queue(partitionOf('profile')).obliterate({ force: true });
      clock.now = Date.now();
    },
    close: async () => {
      await worker.close();
      connection.disconnect();
      await queues.close();
    },
  };
}

/** A handler that waits until it is released; its signal ends the attempt as always. */
export function gate() {
  const started = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const run: Run = async (input) => {
    started.resolve();
    await released.promise;
    return input;
  };
  return { run, started: started.promise, release: released.resolve };
}
