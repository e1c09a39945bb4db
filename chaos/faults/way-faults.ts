// F11, F12, F37: stores and processes are well, and the way between them is slow, silent or cut.
import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '#lib/testing';
import { anyCall, type Fault, type Injected, type Scene } from './fault.js';
import { outage } from './in-flight.js';

export const wayFaults: readonly Fault[] = [
  { id: 'F11', title: 'way to Redis slow by 100 to 300 ms', inject: slow },
  {
    id: 'F12.redis',
    title: 'connections to Redis half open: packets dropped for 20 s',
    inject: (scene) => drop(scene, scene.lab.redisWay, 20_000),
  },
  {
    id: 'F12.postgres',
    title: 'connections to Postgres half open: packets dropped for 15 s',
    inject: (scene) => drop(scene, scene.lab.postgresWay, 15_000),
    mayFail: ['lookup'],
  },
  // Ten cuts in a row: two of them may hit one job, which then counts as poison.
  { id: 'F37', title: 'connections to Redis cut in the middle of an answer', inject: cutAnswers, mayFail: anyCall },
];

const slowForMs = 10_000;

async function slow(scene: Scene): Promise<Injected> {
  const { redisWay } = scene.lab;
  return outage(scene, slowForMs, async () => {
    // Half of it in each direction.
    redisWay.slow(() => scene.random.integer(50, 150));
    await sleep(slowForMs);
    redisWay.heal();
  });
}

async function drop(scene: Scene, way: TcpProxy, forMs: number): Promise<Injected> {
  return outage(scene, forMs, async () => {
    way.drop();
    await sleep(forMs);
    // The connections of before stay silent: their state is lost, as in a firewall that was restarted.
    way.heal();
  });
}

const cutForMs = 10_000;
const cutEveryMs = 1_000;

async function cutAnswers(scene: Scene): Promise<Injected> {
  const { redisWay } = scene.lab;
  return outage(scene, cutForMs, async () => {
    for (let passedMs = 0; passedMs < cutForMs; passedMs += cutEveryMs) {
      redisWay.cutAnswers(() => scene.random.integer(200, 20_000));
      await sleep(cutEveryMs);
    }
    redisWay.heal();
  });
}
