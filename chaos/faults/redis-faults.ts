// F06, F09, F10, F13: Redis dies and comes back on its own files, hangs, is full, is replaced by its replica, or loses its clients,
// while calls are in flight.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { eventually } from '#lib/testing';
import { startRedis, type PrivateStore } from '../../scripts/provision/private-stores.js';
import type { Fault, Injected, Scene } from './fault.js';
import { bringInFlight, outage } from './in-flight.js';

export const redisKill: Fault = { id: 'F06.kill', title: 'Redis kill -9, back on the same files', inject: kill };
export const redisPauses: readonly Fault[] = [
  { id: 'F09.3', title: 'Redis SIGSTOP 3 s', inject: (scene) => pause(scene, 3_000) },
  { id: 'F09.10', title: 'Redis SIGSTOP 10 s', inject: (scene) => pause(scene, 10_000) },
];

export const moreRedisFaults: readonly Fault[] = [
  { id: 'F06.full', title: 'Redis restarted while its memory is full', inject: restartFull },
  { id: 'F06.replica', title: 'Redis dies, its replica takes over', inject: promote },
  {
    id: 'F09.40',
    title: 'Redis SIGSTOP 40 s',
    inject: (scene) => pause(scene, 40_000),
    // Their whole time passes.
    mayFail: ['calc', 'lookup'],
  },
  { id: 'F10', title: 'Redis has no memory left for 12 s', inject: runFull },
  { id: 'F13', title: 'all Redis connections killed every half second', inject: killConnections },
];

/** A connection of the harness to a Redis itself, past the proxy. */
export function control({ url }: PrivateStore): Redis & Disposable {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  redis.on('error', () => undefined);
  return Object.assign(redis, { [Symbol.dispose]: () => redis.disconnect() });
}

async function kill(scene: Scene): Promise<Injected> {
  const { redis } = scene.lab;
  const outageMs = scene.random.integer(1_000, 3_000);
  return outage(scene, outageMs, async () => {
    await redis.kill('SIGKILL');
    await sleep(outageMs);
    await redis.restart();
  });
}

async function pause(scene: Scene, ms: number): Promise<Injected> {
  const { redis } = scene.lab;
  return outage(scene, ms, async () => {
    await redis.kill('SIGSTOP');
    await sleep(ms);
    await redis.kill('SIGCONT');
  });
}

/** Less than it holds: it refuses every write that needs memory. */
const noMemory = '1mb';

async function restartFull(scene: Scene): Promise<Injected> {
  const { redis, redisWay } = scene.lab;
  return outage(scene, 6_000, async () => {
    {
      using before = control(redis);
      await before.config('SET', 'maxmemory', noMemory);
    }
    await sleep(2_000);
    // Nobody gets in before it is full again.
    redisWay.refuse();
    await redis.kill('SIGKILL');
    await redis.restart();
    using after = control(redis);
    await after.config('SET', 'maxmemory', noMemory);
    redisWay.heal();
    await sleep(3_000);
    await after.config('SET', 'maxmemory', '0');
  });
}

async function promote(scene: Scene): Promise<Injected> {
  const { lab } = scene;
  const replica = await startRedis();
  using of = control(replica);
  const { port } = new URL(lab.redis.url);
  await of.replicaof('127.0.0.1', port);
  await eventually(async () => (await of.info('replication')).includes('master_link_status:up'), {
    withinMs: 30_000,
    what: 'the replica in step',
  });
  const hit = await bringInFlight(scene, 1_000);
  // Replication is asynchronous: what the dead Redis had acknowledged and not yet sent on is lost.
  const from = await inStep(lab.redis, of);
  const injectedAt = Date.now();
  await lab.redis.kill('SIGKILL');
  await sleep(500);
  await of.replicaof('NO', 'ONE');
  await lab.promote(replica);
  return { injectedAt, healedAt: Date.now(), hit, loss: { from, isCertain: false } };
}

/** A time up to which the replica has everything that Redis has acknowledged. */
async function inStep(store: PrivateStore, replica: Redis): Promise<number> {
  using redis = control(store);
  const at = Date.now();
  const wanted = await offsetOf(redis, 'master_repl_offset');
  await eventually(async () => (await offsetOf(replica, 'slave_repl_offset')) >= wanted, { withinMs: 30_000, what: 'the replica in step' });
  return at;
}

async function offsetOf(redis: Redis, field: string): Promise<number> {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(await redis.info('replication'))?.[1]);
}

const fullForMs = 12_000;
/** A worker that cannot write must not fill the disk with its complaints. */
const mostComplaints = 10;
const complaint = /"event":"(queue-fault|queue-rest|redis-fault|lock-lost|sweep-failed)"/g;

async function runFull(scene: Scene): Promise<Injected> {
  const { redis, system } = scene.lab;
  const complaints = () => system.workers.map(({ printed }) => printed.match(complaint)?.length ?? 0);
  const before = complaints();
  const injected = await outage(scene, fullForMs, async () => {
    using memory = control(redis);
    await memory.config('SET', 'maxmemory', noMemory);
    await sleep(fullForMs);
    await memory.config('SET', 'maxmemory', '0');
  });
  const rates = complaints().map((count, index) => ((count - (before[index] ?? 0)) * 1_000) / fullForMs);
  const findings = rates.filter((rate) => rate > mostComplaints).map((rate) => `a worker wrote ${rate.toFixed(0)} complaints a second`);
  return { ...injected, findings };
}

const killEveryMs = 500;
const kills = 30;

async function killConnections(scene: Scene): Promise<Injected> {
  return outage(scene, kills * killEveryMs, async () => {
    using killer = control(scene.lab.redis);
    for (let time = 0; time < kills; time++) {
      for (const type of ['NORMAL', 'PUBSUB']) await killer.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
      await sleep(killEveryMs);
    }
  });
}
