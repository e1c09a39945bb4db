// F39: users' workers serve a tool at two gateways. One of them, its connection or its gateway dies while many calls stand after their
// effect and before their answer.
import { eventually, TcpProxy } from '#lib/testing';
import { servedEffect } from '../load/plans.js';
import { startUserWorker } from '../user-workers.js';
import { enoughHits, type Fault, type Injected, type Scene } from './fault.js';

/** More than the other worker can hold: the victim gets its share. */
const burstSize = 100;

type Victim = 'worker' | 'connection' | 'gateway';

const titles: Readonly<Record<Victim, string>> = {
  worker: "a user's worker kill -9, effects made, no answers",
  connection: "the connection of a user's worker cut, effects made, no answers",
  gateway: "the gateway of a user's worker kill -9, effects made, no answers",
};

export const userWorkerFaults: readonly Fault[] = (['worker', 'connection', 'gateway'] as const).map((victim) => ({
  id: `F39.${victim}`,
  title: titles[victim],
  inject: async (scene) => strike(victim, scene),
}));

async function strike(what: Victim, { lab, load }: Scene): Promise<Injected> {
  await using started = new AsyncDisposableStack();
  const [gateway, other] = lab.system.gateways;
  if (!gateway || !other) throw new RangeError('it needs two gateways');
  const way = started.use(await TcpProxy.start(Number(new URL(gateway.url).port)));
  const victim = started.use(await startUserWorker(lab, way.inFrontOf(gateway.url)));
  const spare = started.use(await startUserWorker(lab, other.url));
  const orders = new Set<string>();
  using hold = lab.ledger.hold('after-effect', { match: ({ order }) => orders.has(order) });
  await Promise.all([victim.servedAt(gateway.url), spare.servedAt(other.url)]);
  const burst = load.burst(Array.from({ length: burstSize }, () => servedEffect()));
  for (const { id } of burst) orders.add(id);
  const inVictim = () => hold.calls.filter(({ pid }) => pid === victim.pid).length;
  await eventually(() => inVictim() >= enoughHits, { withinMs: 30_000, what: `${enoughHits} calls of one worker after their effect` });
  const hit = inVictim();
  const injectedAt = Date.now();
  if (what === 'worker') victim.kill();
  else if (what === 'connection') way.cut();
  else await gateway.kill();
  hold.release();
  if (what === 'gateway') await gateway.start();
  // The workers stay until all calls have ended: without them the tool would be gone.
  await eventually(() => burst.every(({ endedAt }) => endedAt !== null), { withinMs: 120_000, what: 'the calls of the workers' });
  return { injectedAt, healedAt: Date.now(), hit };
}
