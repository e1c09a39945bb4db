// F02: a worker hangs for longer than its locks last. Others take over its jobs. Then it goes on and tries to write its results.
import { eventually } from '#lib/testing';
import { domains } from '#lib/contracts';
import type { Hold } from '../../test/lab/ledger/hold.js';
import { effect, slowRead, steps } from '../load/plans.js';
import { enoughHits, type Fault, type Injected, type Scene } from './fault.js';

export const zombieWorker: Fault = {
  id: 'F02',
  title: 'worker SIGSTOP beyond its lock, then CONT',
  inject,
};

/** More than the other worker can hold: the victim gets its share. */
const held = 50;
const streams = 16;

async function inject({ lab, load, random }: Scene): Promise<Injected> {
  const victim = random.pick(lab.system.workers);
  const { pid } = victim;
  const orders = new Set<string>();
  const match = ({ order }: { readonly order: string }) => orders.has(order);
  using effects = lab.ledger.hold('after-effect', { match });
  using reads = lab.ledger.hold('attempt', { match });
  const plans = [
    ...Array.from({ length: held }, () => [effect(), slowRead()]).flat(),
    ...Array.from({ length: streams }, () => steps(20, 200)),
  ];
  const burst = load.burst(random.shuffled(plans));
  for (const { id } of burst) orders.add(id);
  const inVictim = (hold: Hold) => hold.calls.filter((call) => call.pid === pid);
  const isEnough = () =>
    inVictim(effects).length > 0 && inVictim(reads).length > 0 && inVictim(effects).length + inVictim(reads).length >= enoughHits;
  await eventually(isEnough, { withinMs: 30_000, what: 'calls held in the victim' });
  const struck = new Set([...inVictim(effects), ...inVictim(reads)].map(({ order }) => order));
  const injectedAt = Date.now();
  victim.signal('SIGSTOP');
  // The answers are there when it goes on. By then another worker has finished the same calls.
  effects.release();
  reads.release();
  const isOver = () => burst.every(({ id, endedAt }) => endedAt !== null || !struck.has(id));
  await eventually(isOver, {
    withinMs: 4 * (domains.profile.lockMs + domains.profile.stalledCheckMs),
    what: 'the calls of a hanging worker, run by another',
  });
  victim.signal('SIGCONT');
  return { injectedAt, healedAt: Date.now(), hit: struck.size };
}
