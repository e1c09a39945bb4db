// F42: a tool of a user makes its effect in a step, rests, and reports. Its worker dies after the effect and before the step is kept, or after it is.
import { eventually } from '#lib/testing';
import { servedSteps } from '../load/plans.js';
import { startUserWorker } from '../user-workers.js';
import { enoughHits, type Fault, type Injected, type Scene } from './fault.js';

/** More than the other worker can hold: the victim gets its share. */
const burstSize = 100;

const stages = [
  { stage: 'before', point: 'after-effect', title: "a user's worker kill -9, effect made, step not kept" },
  { stage: 'after', point: 'after-response', title: "a user's worker kill -9, step kept and rest over" },
] as const;

export const stepKills: readonly Fault[] = stages.map((one) => ({
  id: `F42.${one.stage}`,
  title: one.title,
  inject: async (scene) => strike(one, scene),
}));

async function strike({ stage, point }: (typeof stages)[number], { lab, load }: Scene): Promise<Injected> {
  await using started = new AsyncDisposableStack();
  const [gateway, other] = lab.system.gateways;
  if (!gateway || !other) throw new RangeError('it needs two gateways');
  const victim = started.use(await startUserWorker(lab, gateway.url));
  const spare = started.use(await startUserWorker(lab, other.url));
  const orders = new Set<string>();
  using hold = lab.ledger.hold(point, { match: ({ order }) => orders.has(order) });
  await Promise.all([victim.servedAt(gateway.url), spare.servedAt(other.url)]);
  const burst = load.burst(Array.from({ length: burstSize }, () => servedSteps()));
  for (const { id } of burst) orders.add(id);
  const inVictim = () => hold.calls.filter(({ pid }) => pid === victim.pid);
  await eventually(() => inVictim().length >= enoughHits, { withinMs: 60_000, what: `${enoughHits} calls of one worker at ${point}` });
  const struck = new Set(inVictim().map(({ order }) => order));
  const injectedAt = Date.now();
  victim.kill();
  hold.release();
  await eventually(() => burst.every(({ endedAt }) => endedAt !== null), { withinMs: 120_000, what: 'the calls of the workers' });
  return { injectedAt, healedAt: Date.now(), hit: struck.size, ...(stage === 'after' && { findings: repeated(lab.ledger.all(), struck) }) };
}

/** Finished steps that were done again: the effect was asked for twice. */
function repeated(
  upstream: readonly { readonly order: string; readonly calls: readonly unknown[] }[],
  struck: ReadonlySet<string>,
): readonly string[] {
  return upstream
    .filter(({ order, calls }) => struck.has(order) && calls.length > 1)
    .map(({ order, calls }) => `${order}: its finished step was done ${calls.length} times`);
}
