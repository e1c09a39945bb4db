// F04 and F05: every gateway, or every worker, is restarted, one after the other, under load. No call may fail.
import type { AppProcess } from '#lib/testing';
import { effect, steps } from '../load/plans.js';
import type { Fault, Injected, Scene } from './fault.js';
import { untilRunning } from './running.js';

export const rollingGateways: Fault = {
  id: 'F04',
  title: 'rolling restart of the gateways',
  inject: (scene) => restartEach(scene, scene.lab.system.gateways),
};

export const rollingWorkers: Fault = {
  id: 'F05',
  title: 'rolling restart of the workers',
  inject: (scene) => restartEach(scene, scene.lab.system.workers),
};

const burstSize = 40;
const slowUpstreamMs = 3_000;

async function restartEach({ lab, load, random }: Scene, apps: readonly AppProcess[]): Promise<Injected> {
  const injectedAt = Date.now();
  const hits: number[] = [];
  for (const app of random.shuffled(apps)) {
    const burst = load.burst(Array.from({ length: burstSize }, (_, number) => (number % 2 === 0 ? effect() : steps(30, 100))));
    for (const { id, kind } of burst) if (kind === 'effect') lab.ledger.script(id, { kind: 'delay', ms: slowUpstreamMs });
    hits.push(await untilRunning(burst, lab.ledger));
    await app.restart();
  }
  return { injectedAt, healedAt: Date.now(), hit: Math.min(...hits) };
}
