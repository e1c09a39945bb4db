import { step } from '#lib/command-line';
import { HttpCaller, startSystem } from '#lib/testing';
import { startCluster, type RedisNode } from '../../scripts/provision/private-cluster.js';
import { closedLoop } from '../load/closed-loop.js';
import { productionEnv } from '../system/production.js';
import { domain } from './waiting-calls.js';
import { mains } from './measurements.js';

const masters = 3;
const users = 32;
/** The slots of its first four partitions are on all three masters, two on one of them. */
const namespace = 'bench2';

/** How the calls of one domain, by many users, load the masters of a cluster. */
export async function measurePartitions(
  databaseUrl: string,
  { partitions, ms }: { readonly partitions: number; readonly ms: number },
): Promise<string> {
  return step(`${partitions} partitions`, async () => {
    await using cluster = await startCluster({ masters });
    const { REDIS_URL } = cluster.settings;
    await using system = await startSystem({
      stores: { redisUrl: cluster.nodes[0]?.store.url ?? '', databaseUrl },
      mains,
      gateways: 1,
      workers: 1,
      env: {
        ...productionEnv,
        REDIS_URL,
        REDIS_MODE: 'cluster',
        INVOQ_NAMESPACE: namespace,
        PARTITIONS: String(partitions),
        LEDGER_URL: 'http://127.0.0.1:9',
      },
      gatewayEnv: { MAX_OPEN: `profile:${domain.maxOpen}`, TENANT_SHARE: 'profile:1' },
      workerEnv: { WORKER_CONCURRENCY: String(users) },
    });
    const keys = await Promise.all(Array.from({ length: users }, async (_, n) => system.tenant.key({ userId: `user-${n}` })));
    const calls = keys.map((key, n) => {
      const caller = new HttpCaller(system.gateway.url, key);
      return async () => {
        const { status, text } = await caller.post('/tools/slow_compute', { seconds: 0, label: String(n) });
        if (status !== 200) throw new Error(text);
      };
    });
    await closedLoop(calls, 1_000);
    const before = await Promise.all(cluster.nodes.map(processorMs));
    const { calls: done, failures, firstFailure, elapsedMs, p50Ms } = await closedLoop(calls, ms);
    const after = await Promise.all(cluster.nodes.map(processorMs));
    if (failures > 0) throw new Error(`${failures} calls failed: ${firstFailure}`);
    const perCall = after.map((used, index) => Math.round((1_000 * (used - (before[index] ?? 0))) / done)).sort((a, b) => b - a);
    return `${partitions} partitions on ${masters} masters: ${Math.round((done * 1_000) / elapsedMs)} calls/s, p50 ${Math.round(p50Ms)} ms; processor time a call by master: ${perCall.join(', ')} µs`;
  });
}

/** What a server has used so far. */
async function processorMs({ admin }: RedisNode): Promise<number> {
  const info = await admin.info('cpu');
  const seconds = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return 1_000 * (seconds('used_cpu_user') + seconds('used_cpu_sys'));
}
