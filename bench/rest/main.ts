// `npm run bench:rest`: what a call at rest costs, how fast many wake that are due at once, and how late one wakes.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { domains, type Caller } from '#lib/contracts';
import { print, runScript, step } from '#lib/command-line';
import { newNamespace, testFiles } from '#lib/testing';
import { InvocationStore, newJobId, partitionOf, RedisKeys, Sealer } from '#lib/transport';
import { Waker } from '#lib/worker';
import { startStores } from '../../scripts/provision/private-stores.js';
import { newWeight, parametersOf } from '../load/parameters.js';

const help = `What a call at rest costs, how fast many wake that are due at once, and how late one wakes.

  npm run bench:rest -- [--calls 10000] [--spread 500]
`;
const dayMs = 86_400_000;
const spreadMs = 10_000;
const caller: Caller = { tenantId: 'bench', userId: 'u', tier: 'vip', scopes: [], credentialId: 'k' };
const partition = partitionOf('profile');

await runScript(async () => {
  const { values } = parseArgs({ options: { calls: { type: 'string', default: '10000' }, spread: { type: 'string', default: '500' } } });
  const [count, spread] = [Number(values.calls), Number(values.spread)];
  await using owner = new AsyncDisposableStack();
  const stores = owner.use(await step('Private stores', () => startStores()));
  const namespace = newNamespace();
  const redis = new Redis(stores.redisUrl);
  owner.defer(() => redis.disconnect());
  const keys = new RedisKeys(namespace);
  const sealer = new Sealer([{ id: 'k', key: randomBytes(32) }]);
  const store = new InvocationStore({ redis, keys, sealer, files: testFiles(namespace) });

  const rest = async (until: number): Promise<string> => {
    const jobId = newJobId(partition);
    const createdAt = Date.now();
    const head = {
      v: 1 as const,
      tool: 'calc_metrics',
      version: '1.0.0',
      input: parametersOf(newWeight()),
      caller,
      sessionId: null,
      traceId: `trace_${jobId}`,
      traceparent: '',
      createdAt,
      validationMs: 0,
      maxAttempts: 1,
      retry: true,
      flightKey: null,
      cacheKey: null,
    };
    const asked = { jobId, head, deadline: createdAt + dayMs, fingerprint: '', idempotencyKey: null, readCache: false };
    await store.accept(domains.profile, { ...asked, rest: { reason: 'scheduled', until } });
    return jobId;
  };
  const restAll = async (until: () => number, calls: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    while (ids.length < calls)
      ids.push(...(await Promise.all(Array.from({ length: Math.min(100, calls - ids.length) }, async () => rest(until())))));
    return ids;
  };
  const usedBytes = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);

  const before = await usedBytes();
  const far = await step(`${count} calls rest for 30 days`, () => restAll(() => Date.now() + 30 * dayMs, count));
  const resting = (await usedBytes()) - before;
  let rowBytes = 0;
  await step('They move', async () => {
    for (const jobId of far)
      await store.moved.move(jobId, async ({ data }) => {
        rowBytes += data.length;
        return true;
      });
  });
  const moved = (await usedBytes()) - before;

  const waker = new Waker({
    partitions: () => [partition],
    store,
    find: () => undefined,
    ends: { endUndecided: async () => undefined, expireAtRest: async () => undefined },
    log: { warn: () => undefined },
  });
  waker.start();
  owner.defer(() => waker.stop());
  const dueAt = Date.now() + 5_000 + count;
  await step(`${count} calls rest until one moment`, () => restAll(() => dueAt, count));
  const wakeMs = await step('They wake', async () => {
    await sleep(Math.max(0, dueAt - Date.now()));
    while ((await store.resting.count(partition)) > 0) await sleep(5);
    return Date.now() - dueAt;
  });
  const spreadIds = await step(`${spread} calls rest, and end in ${spreadMs / 1_000} s`, () =>
    restAll(() => Math.floor(Date.now() + 2_000 + Math.random() * spreadMs), spread),
  );
  const late: number[] = [];
  await step('They wake one by one', async () => {
    const untils = new Map<string, number>();
    for (const id of spreadIds) untils.set(id, (await store.read(id))?.rest?.until ?? 0);
    while ((await store.resting.count(partition)) > 0) await sleep(100);
    for (const id of spreadIds) late.push(((await store.read(id))?.rested.readyAt ?? 0) - (untils.get(id) ?? 0));
  });
  late.sort((a, b) => a - b);
  const at = (share: number) => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? 0;
  print(`
a call at rest in Redis          ${Math.round(resting / count)} bytes
what Redis keeps of one that moved ${Math.round(moved / count)} bytes, its row ${Math.round(rowBytes / count)}
${count} calls due at once        woken in ${wakeMs} ms, ${Math.round((count / wakeMs) * 1_000)} a second
${spread} calls, one by one         late by ${at(0.5)} ms (half), ${at(0.99)} ms (99 %), ${at(1)} ms (all)`);
  return 0;
}, help);
