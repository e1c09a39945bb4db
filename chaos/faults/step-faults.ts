// F40: the connection breaks at one of the two steps of calls, before Redis has it or before its reply. F41: a worker dies there.
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type Strike } from '#lib/testing';
import { stepShas } from '#lib/transport';
import { effect } from '../load/plans.js';
import { enoughHits, type Fault, type Injected, type Scene } from './fault.js';
import { outage } from './in-flight.js';

type Step = keyof typeof stepShas;
type Stage = Strike['stage'];

const steps: readonly Step[] = ['accept', 'turn'];
const stages: readonly { readonly stage: Stage; readonly words: string }[] = [
  { stage: 'unsent', words: 'before Redis has it' },
  { stage: 'unanswered', words: 'after Redis has done it, before its reply' },
];

const cuts: readonly Fault[] = steps.flatMap((step) =>
  stages.map(({ stage, words }) => ({
    id: `F40.${step}-${stage}`,
    title: `connection cut at the script ${step}, ${words}`,
    inject: (scene: Scene) => cutAt(step, stage, scene),
  })),
);

const kills: readonly Fault[] = stages.map(({ stage, words }) => ({
  id: `F41.${stage}`,
  title: `worker kill -9 at the script turn, ${words}`,
  inject: (scene: Scene) => killAtTurn(stage, scene),
}));

export const stepFaults: readonly Fault[] = [...cuts, ...kills];

const cutForMs = 10_000;
/** A process tries again at once: each time would never end. */
const cutShare = 0.1;

async function cutAt(step: Step, stage: Stage, scene: Scene): Promise<Injected> {
  const { redisWay } = scene.lab;
  return outage(scene, cutForMs, async () => {
    redisWay.strikeAt({ text: stepShas[step], stage, does: 'cut', hits: () => scene.random.integer(1, 1_000) <= cutShare * 1_000 });
    await sleep(cutForMs);
    redisWay.heal();
  });
}

/** More than the other worker can hold: the victim gets its share. */
const burstSize = 100;

async function killAtTurn(stage: Stage, { lab, load, random }: Scene): Promise<Injected> {
  const { redisWay, system, ledger } = lab;
  const victim = random.pick(system.workers);
  const { pid } = victim;
  const orders = new Set<string>();
  using hold = ledger.hold('after-response', { match: ({ order }) => orders.has(order) });
  for (const { id } of load.burst(Array.from({ length: burstSize }, () => effect({ witness: true })))) orders.add(id);
  const inVictim = () => hold.calls.filter((call) => call.pid === pid).length;
  await eventually(() => inVictim() >= enoughHits, { withinMs: 30_000, what: `${enoughHits} calls of one worker` });
  const hit = inVictim();
  redisWay.strikeAt({ text: stepShas.turn, stage, does: 'hold' });
  const injectedAt = Date.now();
  hold.release();
  await eventually(() => redisWay.heldConnections >= system.workers.length, { withinMs: 10_000, what: 'ends of every worker' });
  await victim.kill();
  redisWay.heal();
  await victim.start();
  return { injectedAt, healedAt: Date.now(), hit };
}
