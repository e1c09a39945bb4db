// F38: faults by chance, on top of each other.
import { setTimeout as sleep } from 'node:timers/promises';
import { repair, startAll } from '../repair.js';
import { anyCall, type Fault, type Injected, type Scene } from './fault.js';
import { bringInFlight } from './in-flight.js';

export const compound: Fault = { id: 'F38', title: 'seven of these by chance, on top of each other', inject, mayFail: anyCall };

const strikes = 7;

async function inject(scene: Scene): Promise<Injected> {
  const { lab, random } = scene;
  const { redis, postgres, system, apps } = lab;
  const faults: readonly (() => Promise<void>)[] = [
    async () => {
      const victim = random.pick(system.workers);
      await victim.kill();
      await sleep(500);
    },
    async () => {
      await random.pick(system.gateways).kill();
      await sleep(500);
    },
    async () => {
      await redis.kill('SIGKILL');
      await sleep(random.integer(500, 2_000));
      if (redis.pid === undefined) await redis.restart();
    },
    async () => {
      await redis.kill('SIGSTOP');
      await sleep(random.integer(500, 3_000));
      await redis.kill('SIGCONT');
    },
    async () => {
      await postgres.kill('SIGKILL');
      if (postgres.pid === undefined) await postgres.restart();
    },
    async () => {
      lab.ledger.usually({ kind: 'status', status: 429, retryAfter: '1' });
      await sleep(2_000);
      lab.ledger.usually({ kind: 'answer' });
    },
    async () => lab.redisWay.cut(),
  ];
  const hit = await bringInFlight(scene, 5_000);
  const injectedAt = Date.now();
  const running: Promise<void>[] = [];
  for (const strike of random.shuffled(faults).slice(0, strikes)) {
    running.push(strike());
    await sleep(random.integer(500, 2_500));
  }
  await Promise.all(running);
  await startAll(apps);
  await repair(lab);
  return { injectedAt, healedAt: Date.now(), hit };
}
