// `npm run bench -- --guard`: what a call costs. In about a minute.
import { Redis } from 'ioredis';
import { print, step } from '#lib/command-line';
import { Loads } from '../load/load.js';
import { measureCell, warmUp } from '../load/measure.js';
import type { SubjectName } from '../load/subjects.js';
import { commandCounts } from '../profile/redis-commands.js';
import { Cells, type Measurement } from '../report/cells.js';
import type { BenchOptions } from '../system/options.js';
import { startSystem } from '../system/system.js';
import { costsOf } from './costs.js';

const callers = 64;
const rounds = 3;
const subjects = ['bullmq', 'uncached', 'cached'] as const satisfies readonly SubjectName[];
/** @returns costs by their names; null where a call failed, so that nothing is measured */
export async function callCosts(options: BenchOptions, signal: AbortSignal): Promise<Readonly<Record<string, number>> | null> {
  const { measurements, commands, bytes } = await measure(options, signal);
  const failures = measurements.flatMap(({ subject, firstFailure }) => (firstFailure === null ? [] : [`${subject}: ${firstFailure}`]));
  for (const failure of failures) print(`NOT VALID: ${failure}`);
  return failures.length > 0 ? null : costsOf(new Cells(measurements), { callers, commands, bytes });
}

interface Measured {
  readonly measurements: readonly Measurement[];
  /** Commands of Redis a call, those inside of scripts included. */
  readonly commands: Readonly<Record<'uncached' | 'cached', number>>;
  /** That a computed call sends to Redis, all processes together. */
  readonly bytes: number;
}

async function measure(options: BenchOptions, signal: AbortSignal): Promise<Measured> {
  await using owner = new AsyncDisposableStack();
  const system = await step('Private stores, our processes and their peers', () => startSystem(owner));
  const redis = owner.adopt(new Redis(system.target.redisUrl), (client) => client.disconnect());
  // Redis rewrites its file once in some 6,000 calls, and pays half as much again for the calls meanwhile: it copies each page that they touch.
  // Whether that falls into a round of calls or of BullMQ is chance.
  await redis.config('SET', 'auto-aof-rewrite-percentage', 0);
  const loads = await Loads.start(system.target, owner);
  const bench = { system, loads, options: { ...options, warmUpMs: 300, measureMs: 2_000, firstWarmUp: { calls: 5_000, ms: 8_000 } } };
  await step('Warm-up', () => warmUp(bench, signal, subjects));
  const measurements: Measurement[] = [];
  const commands = { uncached: Number.POSITIVE_INFINITY, cached: Number.POSITIVE_INFINITY };
  let bytes = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= rounds; round++)
    await step(`Round ${round} of ${rounds}`, async () => {
      for (const subject of subjects) {
        signal.throwIfAborted();
        let before = { commands: 0, bytes: 0 };
        const onMeasure = async () => void (before = await workOf(redis));
        const measured = await measureCell(bench, { round, subject, concurrency: callers }, onMeasure);
        measurements.push(measured);
        const now = await workOf(redis);
        // What runs beside the calls only adds to them.
        if (subject === 'uncached' || subject === 'cached')
          commands[subject] = Math.min(commands[subject], (now.commands - before.commands) / measured.calls);
        if (subject === 'uncached') bytes = Math.min(bytes, (now.bytes - before.bytes) / measured.calls);
      }
    });
  return { measurements, commands, bytes };
}

/** What Redis has done and read so far. */
async function workOf(redis: Redis): Promise<{ readonly commands: number; readonly bytes: number }> {
  const [counts, stats] = await Promise.all([commandCounts(redis), redis.info('stats')]);
  const commands = [...counts.values()].reduce((sum, { calls }) => sum + calls, 0);
  return { commands, bytes: Number(/^total_net_input_bytes:(\d+)/m.exec(stats)?.[1] ?? Number.NaN) };
}
