// What a worker reports of costs is counted in the budgets of its own tenant, once, and while its attempt runs.
import { z } from 'zod';
import { budget, mostReportedMicros, type Budget } from '#lib/contracts';
import { eventually, must, RawWorker } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, refused, served } from '../expect.js';
import type { Client } from '../world/client.js';
import type { World } from '../world/world.js';
import { echoContract } from './echo-contract.js';

const serves = { userId: null, scopes: ['tools:serve'], approvesTools: true };
const administers = { userId: null, scopes: ['tools:read', 'tools:write', 'tenant:admin'] };
const costed = z.looseObject({ metadata: z.looseObject({ cost: z.looseObject({ micros: z.number() }).optional() }) });

let used = 0;

/** A tenant with a worker, a budget and a call that the worker has begun. */
async function begun({ system, newTenant, newClient }: World) {
  const tenant = await newTenant();
  const admin = await newClient({ tenant, ...administers });
  const name = `costly_${process.pid}_${++used}`;
  const key = await tenant.key(serves);
  const path = `/budgets/${name.replaceAll('_', '-')}`;
  served(await admin.send(`PUT ${path}`, { json: { period: 'month', limit_micros: 1_000_000 } }));
  const worker = await RawWorker.connect({ url: system.gateway.url, key, tools: [echoContract(name)], concurrency: 4 });
  const call = async () => admin.send(`POST /tools/${name}`, { json: {} });
  const answer = call();
  const { attempt } = await worker.nextAttempt();
  const spent = async (): Promise<Budget['spent']> => as(served(await admin.send(`GET ${path}`)), budget).spent;
  return { worker, answer, attempt, call, spent };
}

const cost = (attempt: string, micros: unknown): object => ({ type: 'cost', attempt, micros });
const done = (attempt: string): object => ({ type: 'done', attempt, data: { said: 'done' } });
const costIn = async (answer: ReturnType<Client['send']>) => as(served(await answer), costed).metadata.cost?.micros;

/** No number of millionths of a US dollar. JSON has neither NaN nor infinity: who writes them sends null, a text or 1e999. */
const noCosts = [-1, -1_000_000, 0.5, null, 'NaN', '100', [100], { micros: 100, currency: 'EUR' }, true, 1e21, mostReportedMicros + 1];

export const reportedCostCases = casesIn('API4', {
  'A worker reports no cost that is none, and none in another currency': [
    'S11, S13',
    async (world) => {
      const { worker, answer, attempt, spent } = await begun(world);
      for (const micros of noCosts) {
        const { status } = await worker.send([cost(attempt, micros)]);
        must(status === 400, `the cost ${JSON.stringify(micros)} was answered ${status}`);
      }
      const { status } = await worker.send([{ ...cost(attempt, 100), currency: 'EUR' }]);
      must(status === 400, `a cost in euros was answered ${status}`);
      await worker.send([cost(attempt, 700), done(attempt)]);
      must((await costIn(answer)) === 700, 'the call has another cost than the one that was one');
      await eventually(async () => (await spent()).micros === 700, { withinMs: 15_000, what: 'the budget has the cost' });
      worker.cut();
    },
  ],
  'A cost counts once, and none after the end of its attempt': [
    'S11, S13',
    async (world) => {
      const { worker, answer, attempt, spent } = await begun(world);
      // A sum of what it has cost so far: the same again adds nothing, and less takes nothing away.
      await worker.send([cost(attempt, 500), cost(attempt, 500), cost(attempt, 20)]);
      await worker.send([cost(attempt, 500)]);
      await worker.send([done(attempt), cost(attempt, 900_000)]);
      must((await costIn(answer)) === 500, 'the call has another cost');
      await worker.send([cost(attempt, 900_000), done(attempt)]);
      await eventually(async () => (await spent()).calls === 1, { withinMs: 15_000, what: 'the budget has the call' });
      const { micros, reserved_micros: reserved } = await spent();
      must(micros === 500 && reserved === 0, `the budget has ${micros} spent and ${reserved} held`);
      worker.cut();
    },
  ],
  'A worker uses up the budgets of its own tenant alone, however much it reports': [
    'S11, S13, S14',
    async (world) => {
      const [mine, theirs] = [await begun(world), await begun(world)];
      // For an attempt of the other tenant: by its own stream, and by that of the other one.
      await mine.worker.send([cost(theirs.attempt, 999_999)]);
      const foreign = await mine.worker.send([cost(theirs.attempt, 999_999)], { id: theirs.worker.id });
      must(foreign.status === 404, `a foreign worker was answered ${foreign.status}`);
      await mine.worker.send([cost(mine.attempt, mostReportedMicros), done(mine.attempt)]);
      must((await costIn(mine.answer)) === mostReportedMicros, 'its own call has another cost');
      await eventually(async () => (await mine.spent()).micros === mostReportedMicros, { withinMs: 15_000, what: 'its own budget has it' });
      refused(await mine.call(), 429, 'QUOTA_EXCEEDED');
      await theirs.worker.send([cost(theirs.attempt, 30), done(theirs.attempt)]);
      must((await costIn(theirs.answer)) === 30, 'the call of the other tenant has another cost');
      await eventually(async () => (await theirs.spent()).micros === 30, { withinMs: 15_000, what: 'the other budget has its own cost' });
      const again = theirs.call();
      const { attempt } = await theirs.worker.nextAttempt();
      await theirs.worker.send([done(attempt)]);
      served(await again);
      mine.worker.cut();
      theirs.worker.cut();
    },
  ],
});
