// F06 and F09: Redis dies and comes back on its own files, or hangs, while calls are in flight.
import { setTimeout as sleep } from 'node:timers/promises';
import { effect, steps } from '../load/plans.js';
import type { Fault, Injected, Scene } from './fault.js';
import { untilRunning } from './running.js';

export const redisFaults: readonly Fault[] = [
  { id: 'F06', title: 'Redis kill -9, back on the same files', inject: kill },
  { id: 'F09.3', title: 'Redis SIGSTOP 3 s', inject: (scene) => pause(scene, 3_000) },
  { id: 'F09.10', title: 'Redis SIGSTOP 10 s', inject: (scene) => pause(scene, 10_000) },
];

const burstSize = 60;
const slowUpstreamMs = 3_000;
const stepMs = 100;

async function kill(scene: Scene): Promise<Injected> {
  const { redis } = scene.lab;
  const outageMs = scene.random.integer(1_000, 3_000);
  const hit = await bringInFlight(scene, outageMs);
  const injectedAt = Date.now();
  await redis.kill('SIGKILL');
  await sleep(outageMs);
  await redis.restart();
  return { injectedAt, healedAt: Date.now(), hit };
}

async function pause(scene: Scene, ms: number): Promise<Injected> {
  const { redis } = scene.lab;
  const hit = await bringInFlight(scene, ms);
  const injectedAt = Date.now();
  await redis.kill('SIGSTOP');
  await sleep(ms);
  await redis.kill('SIGCONT');
  return { injectedAt, healedAt: Date.now(), hit };
}

/** Effects and short streams end while Redis is away. Long streams outlast the outage, and their locks expire. */
async function bringInFlight({ lab, load, random }: Scene, outageMs: number): Promise<number> {
  const outageSteps = Math.ceil(outageMs / stepMs);
  const plans = Array.from({ length: burstSize / 3 }, () => [
    effect(),
    steps(random.integer(10, 40), stepMs),
    steps(outageSteps + random.integer(60, 100), stepMs),
  ]);
  const burst = load.burst(random.shuffled(plans.flat()));
  for (const { id, kind } of burst) if (kind === 'effect') lab.ledger.script(id, { kind: 'delay', ms: slowUpstreamMs });
  return untilRunning(burst, lab.ledger);
}
