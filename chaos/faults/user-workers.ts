// F39: users' workers serve a tool at two gateways. One of them, its connection or its gateway dies while many calls stand after their
// effect and before their answer.
import { eventually } from '#lib/testing';
import { servedEffect } from '../load/plans.js';
import { startTwoUserWorkers, type UserWorkerVictim } from '../user-workers.js';
import { enoughHits, type Fault, type Injected, type Scene } from './fault.js';

/** More than the other worker can hold: the victim gets its share. */
const burstSize = 100;

const titles: Readonly<Record<UserWorkerVictim, string>> = {
  worker: "a user's worker kill -9, effects made, no answers",
  connection: "the connection of a user's worker cut, effects made, no answers",
  gateway: "the gateway of a user's worker kill -9, effects made, no answers",
};

export const userWorkerFaults: readonly Fault[] = (['worker', 'connection', 'gateway'] as const).map((victim) => ({
  id: `F39.${victim}`,
  title: titles[victim],
  inject: async (scene) => strike(victim, scene),
}));

async function strike(what: UserWorkerVictim, { lab, load }: Scene): Promise<Injected> {
  await using workers = await startTwoUserWorkers(lab);
  const { victim } = workers;
  const orders = new Set<string>();
  using hold = lab.ledger.hold('after-effect', { match: ({ order }) => orders.has(order) });
  const burst = load.burst(Array.from({ length: burstSize }, () => servedEffect()));
  for (const { id } of burst) orders.add(id);
  const inVictim = () => hold.calls.filter(({ pid }) => pid === victim.pid).length;
  await eventually(() => inVictim() >= enoughHits, { withinMs: 30_000, what: `${enoughHits} calls of one worker after their effect` });
  const hit = inVictim();
  const injectedAt = await workers.strike(what);
  hold.release();
  await workers.heal(what);
  // The workers stay until all calls have ended: without them the tool would be gone.
  await eventually(() => burst.every(({ endedAt }) => endedAt !== null), { withinMs: 120_000, what: 'the calls of the workers' });
  return { injectedAt, healedAt: Date.now(), hit };
}
