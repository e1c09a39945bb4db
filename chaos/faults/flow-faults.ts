// F49: calls of one key, two at a time, while the worker that runs two of them, or the gateway that accepted them, is killed. No third one
// begins before one of the two has ended, the others have their turn, and each is made once.
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, HttpCaller } from '#lib/testing';
import { labEffect } from '../../test/lab/contracts/lab-effect.js';
import { polledEffect } from '../load/plans.js';
import { toldMs, type Fault, type Injected, type Scene } from './fault.js';

export const flowFaults: readonly Fault[] = [
  {
    id: 'F49.worker',
    title: 'kill -9 of the worker whose calls have the places of a key',
    inject: async (scene) => strike('worker', scene),
  },
  { id: 'F49.gateway', title: 'kill -9 of a gateway that accepted calls of a key', inject: async (scene) => strike('gateway', scene) },
];

const concurrency = 2;
const calls = 24;
/** Longer than the locks of a dead worker last, and shorter than two attempts, of three. */
const watchedMs = 9_000;

async function strike(what: 'worker' | 'gateway', { lab, load, random }: Scene): Promise<Injected> {
  const { gateways, workers, tenant } = lab.system;
  const name = `in-line-${random.integer(0, 1e9)}`;
  const adminKey = await tenant.key({ userId: null, tier: 'vip', scopes: ['tenant:admin'] });
  const victim = random.pick(what === 'worker' ? workers : gateways);
  const calm = gateways.find((gateway) => gateway !== victim) ?? gateways[0];
  if (!calm) throw new RangeError('It needs a gateway');
  const admin = new HttpCaller(calm.url, adminKey);
  // All other calls have a line each.
  const key = "args.witness ? 'in line' : string(args.order)";
  await admin.request(`/flows/${name}`, { method: 'PUT', json: { tool: labEffect.name, key, concurrency } });
  await sleep(toldMs);
  const findings: string[] = [];
  const orders = new Set<string>();
  using hold = lab.ledger.hold('before-effect', { match: ({ order }) => orders.has(order) });
  const begun = (): number => new Set(hold.calls.map(({ order }) => order)).size;
  const burst = load.burst(Array.from({ length: calls }, () => polledEffect({ witness: true })));
  for (const { id } of burst) orders.add(id);
  await eventually(() => begun() >= concurrency, { withinMs: 30_000, what: 'calls that have a place' });
  const injectedAt = Date.now();
  await victim.kill();
  await sleep(watchedMs / 2);
  await victim.start();
  await sleep(watchedMs / 2);
  if (begun() > concurrency) findings.push(`${begun()} calls began where ${concurrency} may`);
  hold.release();
  const healedAt = Date.now();
  await eventually(() => burst.every(({ endedAt }) => endedAt !== null), { withinMs: 120_000, what: 'the end of all calls' });
  await admin.delete(`/flows/${name}`);
  return { injectedAt, healedAt, hit: calls, findings };
}
