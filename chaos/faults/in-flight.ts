import type { CallLog } from '../history/call-log.js';
import { effect, steps } from '../load/plans.js';
import type { Injected, Scene } from './fault.js';
import { untilRunning } from './running.js';

const burstSize = 60;
const slowUpstreamMs = 3_000;
const stepMs = 100;

/**
 * Starts a burst and waits until most of it runs. Effects and short streams end during an outage of this length. Long streams outlast
 * it, and their locks expire.
 * @returns how many of its calls run
 */
export async function bringInFlight({ lab, load, random }: Scene, outageMs: number): Promise<number> {
  const outageSteps = Math.ceil(outageMs / stepMs);
  const plans = Array.from({ length: burstSize / 3 }, () => [
    effect(),
    steps(random.integer(10, 40), stepMs),
    steps(outageSteps + random.integer(60, 100), stepMs),
  ]);
  const burst = load.burst(random.shuffled(plans.flat()));
  slowDown(burst, lab.ledger);
  return untilRunning(burst, lab.ledger);
}

/** The upstream takes its time for the effects among these calls. */
export function slowDown(burst: readonly CallLog[], ledger: Scene['lab']['ledger']): void {
  for (const { id, kind } of burst) if (kind === 'effect') ledger.script(id, { kind: 'delay', ms: slowUpstreamMs });
}

/** Calls in flight, then an outage from beginning to end. @param outageMs about how long it lasts */
export async function outage(scene: Scene, outageMs: number, strike: () => Promise<void>): Promise<Injected> {
  const hit = await bringInFlight(scene, outageMs);
  const injectedAt = Date.now();
  await strike();
  return { injectedAt, healedAt: Date.now(), hit };
}
