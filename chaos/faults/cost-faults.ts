// F51: calls that cost something by their contract and by what their handler reports, while a worker, a gateway or Redis is killed. What the budget
// has spent is what the history has, to the last millionth, and no call that ran is cheaper than its attempts.
import { setTimeout as sleep } from 'node:timers/promises';
import { budget, historyPage } from '#lib/contracts';
import { eventually, HttpCaller } from '#lib/testing';
import { labPaid, reportedMicros } from '../../test/lab/contracts/lab-paid.js';
import { paidEffect } from '../load/plans.js';
import { untilRunning } from './running.js';
import { toldMs, type Fault, type Injected, type Scene } from './fault.js';

type Victim = 'worker' | 'gateway' | 'redis';

const titles = {
  worker: 'kill -9 of a worker whose calls have reported costs',
  gateway: 'kill -9 of a gateway that holds room in a budget',
  redis: 'kill -9 of Redis, back on its files, with costs in it',
} as const satisfies Record<Victim, string>;

export const costFaults: readonly Fault[] = (['worker', 'gateway', 'redis'] as const).map((victim) => ({
  id: `F51.${victim}`,
  title: titles[victim],
  inject: async (scene) => strike(victim, scene),
}));

const calls = 60;
const upstreamMs = 3_000;
const lookMs = 2_000;
const priceMicros = labPaid.cost?.micros ?? 0;
/** A killed gateway may have held room for a call that it never accepted: a sweeper gives that back after five minutes. */
const settledWithinMs = 340_000;

async function strike(victim: Victim, { lab, load, random }: Scene): Promise<Injected> {
  const { gateways, workers, tenant } = lab.system;
  const struck = random.pick(victim === 'worker' ? workers : gateways);
  const calm = gateways.find((gateway) => gateway !== struck) ?? gateways[0];
  if (!calm) throw new RangeError('It needs a gateway');
  const adminKey = await tenant.key({ userId: null, tier: 'vip', scopes: ['tenant:admin'] });
  const admin = new HttpCaller(calm.url, adminKey);
  const name = `costs-${random.integer(0, 1e9)}`;
  await admin.request(`/budgets/${name}`, { method: 'PUT', json: { tool: labPaid.name, period: 'month', limit_micros: 1_000_000_000 } });
  await sleep(toldMs);
  const burst = load.burst(Array.from({ length: calls }, () => paidEffect()));
  for (const { id } of burst) lab.ledger.script(id, { kind: 'delay', ms: upstreamMs });
  const hit = await untilRunning(burst, lab.ledger);
  const injectedAt = Date.now();
  if (victim === 'redis') {
    await lab.redis.kill('SIGKILL');
    await sleep(random.integer(500, 2_000));
    await lab.redis.restart();
  } else {
    await struck.kill();
    await struck.start();
  }
  const healedAt = Date.now();
  await eventually(() => burst.every(({ endedAt }) => endedAt !== null), { withinMs: 120_000, what: 'the end of all calls' });
  const findings: string[] = [];
  const ran = async () => (await pastCalls(admin)).filter(({ attempts_made: attempts }) => attempts > 0);
  const spent = async () => (await admin.get(`/budgets/${name}`)).as(budget).spent;
  const difference = async (): Promise<string | null> => {
    // Each look takes points of the administrator's allowance.
    await sleep(lookMs);
    const [past, { micros, calls: counted, reserved_calls: held }] = [await ran(), await spent()];
    const sum = past.reduce((before, { cost_micros: cost }) => before + cost, 0);
    if (past.length === counted && sum === micros && held === 0) return null;
    return `the history has ${past.length} calls for ${sum}, the budget ${counted} for ${micros} and ${held} held`;
  };
  await eventually(async () => (await difference()) === null, { withinMs: settledWithinMs, what: 'one sum' }).catch(async () =>
    findings.push((await difference()) ?? 'the sums agreed late'),
  );
  for (const { job_id: jobId, state, attempts_made: attempts, cost_micros: cost } of await ran()) {
    const least = priceMicros + (state === 'completed' ? reportedMicros : 0);
    if (cost < least || cost > priceMicros + reportedMicros * attempts) findings.push(`${jobId} cost ${cost} in ${attempts} attempts`);
  }
  await admin.delete(`/budgets/${name}`);
  return { injectedAt, healedAt, hit, findings };
}

async function pastCalls(admin: HttpCaller) {
  return (await admin.get(`/history?scope=tenant&tool=${labPaid.name}&limit=1000`)).as(historyPage).calls;
}
