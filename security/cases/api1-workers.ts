// Attempts belong to the worker that has them: forged ends of others, of the same tenant too, change nothing.
import { z } from 'zod';
import { must, RawWorker } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, served } from '../expect.js';
import type { World } from '../world/world.js';
import { echoContract } from './echo-contract.js';

const envelope = z.looseObject({ data: z.looseObject({ said: z.string() }) });
const receipt = z.object({ settled: z.array(z.string()), unknown: z.array(z.string()) });

/** What the key of a worker has. */
const serves = { userId: null, scopes: ['tools:serve'], approvesTools: true };

let used = 0;

/** A worker of the victim's tenant, a call that it has begun, and its key. */
async function begun({ system, victim }: World) {
  const name = `forged_${process.pid}_${++used}`;
  const key = await system.tenant.key(serves);
  const connect = async () => RawWorker.connect({ url: system.gateway.url, key, tools: [echoContract(name)], concurrency: 1 });
  const worker = await connect();
  const answer = victim.send(`POST /tools/${name}`, { json: {} });
  return { worker, connect, answer, attempt: await worker.nextAttempt() };
}

const done = (attempt: string, said: string) => ({ type: 'done', attempt, data: { said } });
const receiptOf = async (response: Response) => receipt.parse(await response.json());
const saidIn = async (answer: ReturnType<World['victim']['send']>) => as(served(await answer), envelope).data.said;

export const workerCases = casesIn('API1', {
  'An attempt of a worker is answered by no other key, of this tenant or another': [
    'S13, S14',
    async (world) => {
      const { worker, answer, attempt } = await begun(world);
      const others = [await world.system.tenant.key(serves), await world.strangerTenant.key(serves)];
      for (const key of others)
        for (const gateway of world.system.gateways) {
          const sent = await worker.send([done(attempt.attempt, 'forged')], { key, url: gateway.url });
          // Another gateway passes it on unseen; the one that holds the worker drops it.
          must([404, 202].includes(sent.status), `a foreign key was answered ${sent.status}`);
        }
      await worker.send([done(attempt.attempt, 'own')]);
      must((await saidIn(answer)) === 'own', 'the answer of the call is forged');
      worker.cut();
    },
  ],
  'An attempt that another worker has is not ended by a worker of the same key': [
    'S13',
    async (world) => {
      const { worker, connect, answer, attempt } = await begun(world);
      const other = await connect();
      const { settled, unknown } = await receiptOf(await other.send([done(attempt.attempt, 'forged')]));
      must(settled.length === 0 && unknown[0] === attempt.attempt, 'the other worker has ended it');
      await worker.send([done(attempt.attempt, 'own')]);
      must((await saidIn(answer)) === 'own', 'the answer of the call is forged');
      other.cut();
      worker.cut();
    },
  ],
  'An attempt ends once, and a later one of the same call not at all before it is given': [
    'S13',
    async (world) => {
      const { worker, answer, attempt } = await begun(world);
      const next = `${attempt.effect_key}.${attempt.number + 1}`;
      const early = await receiptOf(
        await worker.send([done(next, 'forged'), { type: 'progress', attempt: next, progress: 100, message: '' }]),
      );
      must(early.settled.length === 0, 'an attempt was ended that nobody has');
      await worker.send([done(attempt.attempt, 'own'), done(attempt.attempt, 'forged')]);
      await worker.send([done(attempt.attempt, 'forged'), done(next, 'forged')]);
      must((await saidIn(answer)) === 'own', 'the answer of the call is that of the second end');
      worker.cut();
    },
  ],
  'A worker that has lost its attempt ends it no more': [
    'S13',
    async (world) => {
      const { worker, connect, answer, attempt } = await begun(world);
      worker.cut();
      const second = await connect();
      const again = await second.nextAttempt();
      const late = await worker.send([done(attempt.attempt, 'late')]);
      must(late.status === 404, `the lost worker was answered ${late.status}`);
      const { settled } = await receiptOf(await second.send([done(attempt.attempt, 'late')]));
      must(settled.length === 0, 'the lost attempt was ended');
      await second.send([done(again.attempt, 'own')]);
      must((await saidIn(answer)) === 'own', 'the answer of the call is that of the lost attempt');
      second.cut();
    },
  ],
});
