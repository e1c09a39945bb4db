// F01: kill -9 of a worker while many of its calls stand at exactly one point of the way to the upstream and back.
import { eventually } from '#lib/testing';
import type { HoldPoint } from '../../test/lab/ledger/hold.js';
import { effect } from '../load/plans.js';
import { enoughHits, type Fault, type Injected, type Scene } from './fault.js';

const points: readonly { readonly point: HoldPoint; readonly title: string }[] = [
  { point: 'before-call', title: 'worker kill -9 before the upstream call' },
  { point: 'before-effect', title: 'worker kill -9, call sent' },
  { point: 'after-effect', title: 'worker kill -9, effect made, no response' },
  { point: 'after-response', title: 'worker kill -9, response got, not stored' },
];

export const workerKills: readonly Fault[] = points.map(({ point, title }, index) => ({
  id: `F01.${index + 1}`,
  title,
  inject: (scene) => killAt(point, scene),
}));

/** More than the other worker can hold: the victim gets its share. */
const burstSize = 100;

async function killAt(point: HoldPoint, { lab, load, random }: Scene): Promise<Injected> {
  const victim = random.pick(lab.system.workers);
  const { pid } = victim;
  const orders = new Set<string>();
  using hold = lab.ledger.hold(point, { match: ({ order }) => orders.has(order) });
  for (const { id } of load.burst(Array.from({ length: burstSize }, () => effect({ witness: true })))) orders.add(id);
  const inVictim = () => hold.calls.filter((call) => call.pid === pid).length;
  await eventually(() => inVictim() >= enoughHits, { withinMs: 30_000, what: `${enoughHits} calls of one worker at '${point}'` });
  const hit = inVictim();
  const injectedAt = Date.now();
  await victim.kill();
  // Requests that had reached the upstream go on although their caller is gone.
  hold.release();
  await victim.start();
  return { injectedAt, healedAt: Date.now(), hit };
}
