// F43: calls of a user's tool rest for an approval. Each is decided twice at once, at two gateways, and once more after; one of the gateways dies meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { inputRequestPage, userScopes } from '#lib/contracts';
import { eventually, HttpCaller } from '#lib/testing';
import { servedApproved, servedSteps } from '../load/plans.js';
import { servedApprovedFacts } from '../load/served-effect.js';
import { startUserWorker } from '../user-workers.js';
import { enoughHits, type Fault, type Injected, type Scene } from './fault.js';

const burstSize = 60;
/** Into the decisions, when the gateway is killed. */
const killAfterMs = 40;

export const decisionFaults: readonly Fault[] = [
  { id: 'F45', title: 'gateway kill -9 while calls rest that it would wake', inject: killWaker },
  {
    id: 'F43.twice',
    title: 'inputs decided twice at once, by two gateways, and after their end',
    inject: async (scene) => decide(false, scene),
  },
  { id: 'F43.killed', title: 'the same, and one of the gateways kill -9 meanwhile', inject: async (scene) => decide(true, scene) },
];

async function decide(kills: boolean, { lab, load }: Scene): Promise<Injected> {
  await using started = new AsyncDisposableStack();
  const [gateway, other] = lab.system.gateways;
  if (!gateway || !other) throw new RangeError('it needs two gateways');
  // Its worker is at the gateway that lives.
  const worker = started.use(await startUserWorker(lab, other.url));
  await Promise.all([worker.servedAt(gateway.url), worker.servedAt(other.url)]);
  const key = await lab.system.tenant.key({ userId: 'boss', scopes: [...userScopes, 'approvals'] });
  const [there, here] = [new HttpCaller(gateway.url, key), new HttpCaller(other.url, key)];
  const burst = load.burst(Array.from({ length: burstSize }, () => servedApproved()));
  const open = async () =>
    (await here.get(`/input-requests?scope=tenant&state=open&tool=${servedApprovedFacts.name}&limit=100`)).as(inputRequestPage)
      .input_requests;
  const requests = await eventually(async () => ((await open()).length >= burstSize ? open() : null), {
    withinMs: 30_000,
    what: 'what is asked about each call',
  });
  const say = async (boss: HttpCaller, id: string): Promise<number | null> =>
    boss.post(`/input-requests/${id}`, { action: 'accept' }).then(
      ({ status }) => status,
      () => null,
    );
  const injectedAt = Date.now();
  const saying = Promise.all(requests.map(async ({ id }) => ({ id, said: await Promise.all([say(there, id), say(here, id)]) })));
  if (kills) {
    await sleep(killAfterMs);
    await gateway.kill();
  }
  const said = await saying;
  if (kills) await gateway.start();
  const findings: string[] = [];
  for (const { id, said: statuses } of said) {
    // Whoever had no answer asks again, and so does everybody else.
    const after = await eventually(() => say(here, id), { withinMs: 30_000, what: 'an answer to a decision' });
    const won = [...statuses, after].filter((status) => status === 200).length;
    if (won > 1) findings.push(`${id} was decided ${won} times: ${JSON.stringify([...statuses, after])}`);
    const last = await say(here, id);
    if (last !== 409) findings.push(`${id} has a decision, and another one is answered with ${last}`);
  }
  await eventually(() => burst.every(({ endedAt }) => endedAt !== null), { withinMs: 120_000, what: 'the calls that were decided' });
  if ((await open()).length > 0) findings.push(`${(await open()).length} requests are open after their decision`);
  return { injectedAt, healedAt: Date.now(), hit: requests.length, findings };
}

/** Rests of a user's calls are ended by the gateways: one dies, the other ends all. */
async function killWaker({ lab, load }: Scene): Promise<Injected> {
  await using started = new AsyncDisposableStack();
  const [gateway, other] = lab.system.gateways;
  if (!gateway || !other) throw new RangeError('it needs two gateways');
  const worker = started.use(await startUserWorker(lab, other.url));
  await Promise.all([worker.servedAt(gateway.url), worker.servedAt(other.url)]);
  const burst = load.burst(Array.from({ length: burstSize }, () => servedSteps()));
  const orders = new Set(burst.map(({ id }) => id));
  // Each rests for a moment once its effect is made.
  const made = () => lab.ledger.all().filter(({ order }) => orders.has(order)).length;
  await eventually(() => made() >= enoughHits, { withinMs: 30_000, what: `${enoughHits} effects` });
  const [injectedAt, hit] = [Date.now(), made()];
  await gateway.kill();
  await gateway.start();
  await eventually(() => burst.every(({ endedAt }) => endedAt !== null), { withinMs: 120_000, what: 'the calls that rested' });
  return { injectedAt, healedAt: Date.now(), hit };
}
