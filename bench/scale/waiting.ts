import { partitionOf } from '#lib/transport';
import { step } from '#lib/command-line';
import { eventually, type HttpCaller, type System } from '#lib/testing';
import type { PrivateStores } from '../../scripts/provision/private-stores.js';
import { start } from './measurements.js';
import { domain, WaitingCalls } from './waiting-calls.js';

const accepts = 500;
const reads = 100;
const restartWithinMs = 600_000;
const rewrittenWithinMs = 300_000;
const partition = partitionOf(domain.name);

/** Time until a call is accepted, one after the other, while more and more wait; what else a gateway is asked; a restart of Redis with the most. */
export async function measureAccepts(stores: PrivateStores, sizes: readonly number[]): Promise<readonly string[]> {
  await using system = await start(stores, { gateways: 1, workers: 0, places: 1 });
  using waiting = new WaitingCalls({ redisUrl: stores.redisUrl, namespace: system.namespace });
  const caller = await system.caller();
  for (let n = 0; n < accepts; n++) await accept(caller);
  const lines: string[] = [];
  for (const size of sizes) {
    const open = await waiting.store.open.count(partition);
    await step(`${size} waiting`, async () => {
      await waiting.add(Math.max(0, size - open), Date.now() + 3_600_000);
      // It uses the other processor, and comes after so many calls whether they wait or not.
      await eventually(async () => !(await rewrites(waiting)), {
        withinMs: rewrittenWithinMs,
        what: 'the end of the rewrite of Redis’ file',
      });
    });
    const before = await scriptCosts(waiting);
    const accepted = await times(accepts, () => accept(caller));
    const after = await scriptCosts(waiting);
    const scriptUs = Math.round((after.us - before.us) / (after.calls - before.calls));
    const line = `accepted in ${accepted}, of which a script of Redis takes ${scriptUs} µs; Redis holds ${await megabytes(waiting)} MB`;
    lines.push(`${size} waiting: ${line}`, ...(await readsOf(system, caller)));
  }
  lines.push(await measureRestart({ stores, caller, waiting }));
  return lines;
}

async function accept(caller: HttpCaller): Promise<string> {
  const { status, text, headers } = await caller.post('/tools/slow_compute', { seconds: 1, label: '' }, { prefer: 'respond-async' });
  if (status !== 202) throw new Error(text);
  return headers.get('location') ?? '';
}

/** What callers, probes and operators ask, each some times. */
async function readsOf(system: System, caller: HttpCaller): Promise<readonly string[]> {
  const job = await accept(caller);
  const admin = await system.admin();
  const asked: readonly (readonly [path: string, by: HttpCaller])[] = [
    [job, caller],
    ['/jobs', caller],
    ['/jobs?scope=tenant', admin],
    ['/readyz', system.anonymous],
    ['/metrics', admin],
    ['/admin/queues/api/queues', admin],
  ];
  const lines: string[] = [];
  for (const [path, by] of asked) {
    const statuses = new Set<number>();
    const taken = await times(reads, async () => statuses.add((await by.get(path)).status));
    lines.push(`  GET ${path}: ${[...statuses].join(', ')} in ${taken}`);
  }
  return lines;
}

/** The longest time between two accepted calls while Redis stops and starts, and what callers were answered meanwhile. */
async function measureRestart({ stores, caller, waiting }: Restart): Promise<string> {
  const open = await waiting.store.open.count(partition);
  const answers = new Map<string, number>();
  let isBack = false;
  const restarted = stores.redis.restart().then(() => (isBack = true));
  let [acceptedAt, gapMs] = [performance.now(), 0];
  await eventually(
    async () => {
      const isAfterIt = isBack;
      const { status, headers } = await caller.post('/tools/slow_compute', { seconds: 1, label: '' }, { prefer: 'respond-async' });
      const retryAfter = headers.get('retry-after');
      const answer = retryAfter === null ? String(status) : `${status} with Retry-After`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      if (status !== 202) return false;
      const now = performance.now();
      [acceptedAt, gapMs] = [now, Math.max(gapMs, now - acceptedAt)];
      return isAfterIt;
    },
    { withinMs: restartWithinMs, what: 'a call that is accepted again' },
  );
  await restarted;
  const kept = await waiting.store.open.count(partition);
  const told = [...answers].map(([answer, count]) => `${answer}: ${count}`).join(', ');
  return `Redis restarted with ${open} waiting: no call accepted for ${(gapMs / 1_000).toFixed(1)} s (${told}); ${kept} wait after it`;
}

interface Restart {
  readonly stores: PrivateStores;
  readonly caller: HttpCaller;
  readonly waiting: WaitingCalls;
}

/** One after the other. */
async function times(count: number, once: () => Promise<unknown>): Promise<string> {
  const taken: number[] = [];
  for (let n = 0; n < count; n++) {
    const at = performance.now();
    await once();
    taken.push(performance.now() - at);
  }
  taken.sort((a, b) => a - b);
  const [p50, p95] = [0.5, 0.95].map((share) => taken[Math.floor(share * count)]?.toFixed(1));
  return `p50 ${p50} ms, p95 ${p95} ms`;
}

async function megabytes({ redis }: WaitingCalls): Promise<number> {
  const memory = /^used_memory:(\d+)/m.exec(await redis.info('memory'));
  return Math.round(Number(memory?.[1]) / 1e6);
}

async function rewrites({ redis }: WaitingCalls): Promise<boolean> {
  return /^aof_rewrite_(in_progress|scheduled):1/m.test(await redis.info('persistence'));
}

/** All scripts so far. */
async function scriptCosts({ redis }: WaitingCalls): Promise<{ readonly calls: number; readonly us: number }> {
  const stats = /^cmdstat_evalsha:calls=(\d+),usec=(\d+)/m.exec(await redis.info('commandstats'));
  return { calls: Number(stats?.[1]), us: Number(stats?.[2]) };
}
