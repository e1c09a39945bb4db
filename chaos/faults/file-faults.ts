// F50: users' workers give files in pieces at two gateways. One of them, its connection or its gateway dies amid the pieces of many files. Each call ends
// with one file, whole and of one attempt.
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { fileOutput } from '#lib/contracts';
import { acceptedShape, eventually, HttpCaller } from '#lib/testing';
import { partsOf, servedFileFacts } from '../load/served-file.js';
import { startTwoUserWorkers, type UserWorkerVictim } from '../user-workers.js';
import { enoughHits, type Fault, type Injected, type Scene } from './fault.js';

const calls = 64;
const titles: Readonly<Record<UserWorkerVictim, string>> = {
  worker: "a user's worker kill -9 amid the pieces of its files",
  connection: "the connection of a user's worker cut amid the pieces of its files",
  gateway: "the gateway of a user's worker kill -9 amid the pieces of its files",
};

export const fileFaults: readonly Fault[] = (['worker', 'connection', 'gateway'] as const).map((victim) => ({
  id: `F50.${victim}`,
  title: titles[victim],
  inject: async (scene) => strike(victim, scene),
}));

/** By then each file has a piece at its gateway, and more are to come. */
const middleMs = 1_500;
const againMs = 500;
const jobs = z.looseObject({ jobs: z.array(z.unknown()) });
const job = z.looseObject({ state: z.string(), result: z.unknown() });
const completed = z.looseObject({ data: z.looseObject({ report: z.object(fileOutput) }) });

async function strike(what: UserWorkerVictim, { lab }: Scene): Promise<Injected> {
  await using workers = await startTwoUserWorkers(lab);
  const orders = Array.from({ length: calls }, (): string => randomUUID());
  // Another user than that of the load, whose allowance is used up.
  const key = await lab.system.tenant.key({ userId: `files_${what}`, tier: 'vip' });
  const user = new HttpCaller(workers.calmUrl, key);
  const begun = await Promise.all(
    orders.map(async (order) => {
      for (;;) {
        const reply = await user.post(`/tools/${servedFileFacts.name}`, { order }, { prefer: 'respond-async' });
        if (reply.status === 202) return { order, id: reply.as(acceptedShape).job_id };
        // What was not accepted may be sent again, where the answer says so.
        if (!reply.text.includes('"retryable":true')) throw new Error(`a call was answered with ${reply.status} ${reply.text}`);
        await sleep(againMs);
      }
    }),
  );
  const running = async () => (await user.get(`/jobs?tool=${servedFileFacts.name}&state=active&limit=100`)).as(jobs).jobs.length;
  // Both workers have the same room, so each has about half of them.
  await eventually(async () => (await running()) >= 2 * enoughHits, { withinMs: 30_000, what: 'files of both workers' });
  await sleep(middleMs);
  const hit = Math.floor((await running()) / 2);
  const injectedAt = await workers.strike(what);
  await workers.heal(what);
  const healedAt = Date.now();
  const findings: string[] = [];
  for (const { order, id } of begun) {
    const fault = await faultOf({ user, url: workers.calmUrl }, order, id);
    if (fault !== null) findings.push(`${id}: ${fault}`);
  }
  return { injectedAt, healedAt, hit, findings };
}

/** What is wrong with the file of a call; null where it is whole. */
async function faultOf(
  { user, url: at }: { readonly user: HttpCaller; readonly url: string },
  order: string,
  id: string,
): Promise<string | null> {
  const ended = await eventually(
    async () => {
      const shown = (await user.get(`/jobs/${id}?wait=20`)).as(job);
      return ['completed', 'failed', 'cancelled'].includes(shown.state) && shown;
    },
    { withinMs: 180_000, what: `the end of ${id}` },
  );
  const read = completed.safeParse(ended.result);
  if (!read.success) return `it is ${ended.state}, with ${JSON.stringify(ended.result).slice(0, 300)}`;
  const { url, size_bytes: size } = read.data.data.report;
  const { pathname, search } = new URL(url);
  const answer = await fetch(new URL(pathname + search, at));
  const bytes = Buffer.from(await answer.arrayBuffer());
  const whole = Buffer.concat([...partsOf(order)]);
  if (answer.status !== 200 || bytes.length !== size)
    return `its file is answered with ${answer.status} and ${bytes.length} bytes of ${size}`;
  return digest(bytes) === digest(whole) ? null : 'its file is not that of its tool';
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
