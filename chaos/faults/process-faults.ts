// F14, F25, F26, F31, F33, F36: processes without stores, with a wrong clock, with poison, without file descriptors, or that stop
// while Redis is away.
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, HttpCaller, type AppProcess } from '#lib/testing';
import type { CallKind } from '../history/history.js';
import { poison } from '../load/plans.js';
import { startAll } from '../repair.js';
import type { Fault, Injected, Scene } from './fault.js';
import { bringInFlight, outage } from './in-flight.js';

/** A call that runs beside the poison both times is taken for poison itself. */
const besidePoison: readonly CallKind[] = ['poison', 'effect', 'stream', 'async', 'calc', 'lookup'];

export const processFaults: readonly Fault[] = [
  {
    id: 'F14',
    title: 'everything dies, the stores come back 10 s after the processes',
    inject: startBeforeStores,
    mayFail: ['calc', 'lookup'],
  },
  { id: 'F25.worker', title: 'clock of a worker 90 s ahead, then 90 s behind', inject: (scene) => skew(scene, scene.lab.system.workers) },
  {
    id: 'F25.gateway',
    title: 'clock of a gateway 90 s ahead, then 90 s behind',
    inject: (scene) => skew(scene, scene.lab.system.gateways),
  },
  { id: 'F26.exit', title: 'poison: a call that ends its worker', inject: (scene) => giveUp(scene, 'exit'), mayFail: besidePoison },
  {
    id: 'F26.unhandled',
    title: 'poison: a rejection that nobody handles',
    inject: (scene) => giveUp(scene, 'unhandled'),
    mayFail: besidePoison,
  },
  { id: 'F31', title: 'a call that blocks its worker for 8 s', inject: block, mayFail: besidePoison },
  { id: 'F36', title: 'a worker and a gateway stop while Redis is away', inject: stopWithoutRedis },
];

const withoutStoresMs = 10_000;

async function startBeforeStores(scene: Scene): Promise<Injected> {
  const { redis, postgres, apps, system } = scene.lab;
  const findings: string[] = [];
  const injected = await outage(scene, withoutStoresMs, async () => {
    await Promise.all([redis.kill('SIGKILL'), postgres.kill('SIGKILL'), ...apps.map((app) => app.kill())]);
    for (const app of apps) app.launch();
    await sleep(withoutStoresMs);
    for (const { url, logFile } of apps) {
      // On a busy machine a process may take longer to listen.
      await eventually(async () => (await statusOf(system.anonymous.at(url), '/healthz')) === 200, { withinMs: 30_000 }).catch(
        () => undefined,
      );
      const health = await statusOf(system.anonymous.at(url), '/healthz');
      const ready = await statusOf(system.anonymous.at(url), '/readyz');
      if (health !== 200 || ready !== 503) findings.push(`without stores ${logFile} answered healthz ${health}, readyz ${ready}`);
    }
    await Promise.all([redis.restart(), postgres.restart()]);
    await eventually(
      async () =>
        (await Promise.all(apps.map(({ url }) => statusOf(system.anonymous.at(url), '/readyz')))).every((status) => status === 200),
      {
        withinMs: 60_000,
        what: 'all processes ready',
      },
    );
  });
  return { ...injected, findings };
}

async function statusOf(caller: HttpCaller, path: string): Promise<number | string> {
  return caller.get(path).then(
    ({ status }) => status,
    (error: unknown) => String(error),
  );
}

const skewMs = 90_000;
const skewedForMs = 8_000;

async function skew(scene: Scene, apps: readonly AppProcess[]): Promise<Injected> {
  const victim = scene.random.pick(apps);
  return outage(scene, 2 * skewedForMs, async () => {
    try {
      for (const offsetMs of [skewMs, -skewMs]) {
        await victim.moveClock(offsetMs);
        await sleep(skewedForMs);
      }
    } finally {
      await victim.moveClock(0);
    }
  });
}

/** The poison is run until the system gives it up. A supervisor starts what it kills. */
async function giveUp(scene: Scene, how: 'exit' | 'unhandled'): Promise<Injected> {
  const { lab, load } = scene;
  const hit = await bringInFlight(scene, 3_000);
  const injectedAt = Date.now();
  const [call] = load.burst([poison(how)]);
  await eventually(
    async () => {
      await startAll(lab.apps);
      return call?.endedAt !== null;
    },
    { withinMs: 45_000, what: 'the end of the poison' },
  );
  // It may have its answer before its worker dies.
  await sleep(1_000);
  await startAll(lab.apps);
  const runs = call ? lab.ledger.of(call.id).attempts.length : 0;
  const findings = runs > 2 ? [`the poison was run ${runs} times`] : [];
  return { injectedAt, healedAt: Date.now(), hit, findings };
}

const blockedForMs = 8_000;

async function block(scene: Scene): Promise<Injected> {
  const { load } = scene;
  return outage(scene, blockedForMs, async () => {
    const [call] = load.burst([poison('block', blockedForMs)]);
    await eventually(() => call?.endedAt !== null, { withinMs: 45_000, what: 'the end of the call that blocks' });
  });
}

const exitWithinMs = 25_000;

async function stopWithoutRedis(scene: Scene): Promise<Injected> {
  const { lab, random } = scene;
  const victims = [random.pick(lab.system.workers), random.pick(lab.system.gateways)];
  const findings: string[] = [];
  const injected = await outage(scene, 5_000, async () => {
    await lab.redis.kill('SIGKILL');
    const started = performance.now();
    const exits = await Promise.all(victims.map((victim) => victim.stop(exitWithinMs)));
    const tookMs = performance.now() - started;
    if (exits.includes('SIGKILL')) findings.push(`a process had not ended ${Math.round(tookMs)} ms after SIGTERM`);
    await lab.redis.restart();
    await startAll(lab.apps);
  });
  return { ...injected, findings };
}
