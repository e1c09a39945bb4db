// F03: kill -9 of one of two gateways while 200 clients wait for answers or follow streams there. They go on at the other one.
import { eventually } from '#lib/testing';
import { effect, steps } from '../load/plans.js';
import type { Fault, Injected, Scene } from './fault.js';

export const gatewayKill: Fault = {
  id: 'F03',
  title: 'gateway kill -9 with 200 waiting',
  inject,
};

const waiting = 200;
const slowUpstreamMs = 2_500;

async function inject({ lab, load, client, random }: Scene): Promise<Injected> {
  const index = random.integer(0, lab.system.gateways.length - 1);
  const victim = lab.system.gateways[index];
  if (!victim) throw new RangeError('No such gateway');
  const plans = Array.from({ length: waiting }, (_, number) => (number % 2 === 0 ? effect() : steps(random.integer(15, 30), 150)));
  const burst = load.burst(plans, index);
  for (const { id, kind } of burst) if (kind === 'effect') lab.ledger.script(id, { kind: 'delay', ms: slowUpstreamMs });
  // In the middle: streams have begun, and no call has its answer yet.
  const streams = burst.filter(({ kind }) => kind === 'stream');
  const followed = () => streams.filter(({ events }) => events.length > 0).length;
  await eventually(() => client.openAt(index) >= 0.9 * waiting && followed() >= streams.length / 2, {
    withinMs: 30_000,
    what: '200 waiting at one gateway',
  });
  const hit = client.openAt(index);
  const injectedAt = Date.now();
  await victim.kill();
  await victim.start();
  return { injectedAt, healedAt: Date.now(), hit };
}
