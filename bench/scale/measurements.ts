import { step } from '#lib/command-line';
import { eventually, HttpCaller, startSystem, type System } from '#lib/testing';
import { closedLoop } from '../load/closed-loop.js';
import { productionEnv } from '../system/production.js';
import { domain, WaitingCalls } from './waiting-calls.js';
import { partitionOf } from '#lib/transport';

export interface Stores {
  readonly redisUrl: string;
  readonly databaseUrl: string;
}

export const mains = { gateway: 'dist/test/lab/lab-gateway-main.js', worker: 'dist/test/lab/lab-worker-main.js' };
const toolMs = 50;
const expireWithinMs = 60_000;

interface Size {
  readonly gateways: number;
  readonly workers: number;
  /** Attempts of each worker at the same time. */
  readonly places: number;
}

export async function start(stores: Stores, { places, ...size }: Size): Promise<System> {
  return startSystem({
    stores,
    mains,
    ...size,
    env: { ...productionEnv, LEDGER_URL: 'http://127.0.0.1:9' },
    gatewayEnv: { MAX_OPEN: `profile:${domain.maxOpen}`, TENANT_SHARE: 'profile:1' },
    workerEnv: { WORKER_CONCURRENCY: String(places) },
  });
}

/** Calls a second, twice as many callers as there are places. */
export async function measureWorkers(stores: Stores, { ms, ...size }: Size & { readonly ms: number }): Promise<string> {
  const { gateways, workers, places } = size;
  return step(`${workers} workers, ${gateways} gateways`, async () => {
    await using system = await start(stores, size);
    const key = await system.tenant.key();
    const calls = Array.from({ length: 2 * places * workers }, (_, index) => {
      const caller = new HttpCaller(system.gateways[index % gateways]?.url ?? '', key);
      return async () => {
        const { status, text } = await caller.post('/tools/slow_compute', { seconds: toolMs / 1_000, label: String(index) });
        if (status !== 200) throw new Error(text);
      };
    });
    await closedLoop(calls, 1_000);
    const { calls: done, failures, firstFailure, elapsedMs, p50Ms } = await closedLoop(calls, ms);
    if (failures > 0) throw new Error(`${failures} calls failed: ${firstFailure}`);
    const [perSecond, ideal] = [(done * 1_000) / elapsedMs, (workers * places * 1_000) / toolMs];
    return `${workers} workers of ${places}, ${gateways} gateways: ${Math.round(perSecond)} calls/s, ${Math.round((100 * perSecond) / ideal)} % of linear, p50 ${Math.round(p50Ms)} ms`;
  });
}

/** From the first of the expired calls that is ended to the last, and what a sweep costs where nothing is overdue. */
export async function measureSweep(
  stores: Stores,
  { expired, open }: { readonly expired: number; readonly open: number },
): Promise<string> {
  await using system = await start(stores, { gateways: 1, workers: 1, places: 1 });
  await system.worker.stop();
  using waiting = new WaitingCalls({ redisUrl: stores.redisUrl, namespace: system.namespace });
  const { store, keys, redis } = waiting;
  await step(`${open} open, ${expired} expired`, async () => {
    await waiting.add(open, Date.now() + 3_600_000);
    await waiting.add(expired, Date.now() - 1);
  });
  const overdue = async () => redis.zcount(keys.open(partitionOf(domain.name)), '-inf', Date.now());
  await system.worker.start();
  await eventually(async () => (await overdue()) < expired, { withinMs: expireWithinMs, what: 'the first end' });
  const at = performance.now();
  await eventually(async () => (await overdue()) === 0, { withinMs: expireWithinMs, what: 'all ends' });
  const endedMs = performance.now() - at;
  const sweepAt = performance.now();
  await store.open.until(partitionOf(domain.name), Date.now(), { offset: 0, limit: 10_000 });
  await store.open.unqueued(partitionOf(domain.name), Date.now(), 10_000);
  await store.open.patrol(partitionOf(domain.name), { offset: 0, limit: 1_000 });
  const sweepMs = performance.now() - sweepAt;
  return `${expired} expired beside ${open} open: ended in ${Math.round(endedMs)} ms; a sweep with nothing overdue reads for ${Math.round(sweepMs)} ms`;
}
