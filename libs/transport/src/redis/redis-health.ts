import { Redis } from 'ioredis';
import { mastersOf, type RedisClient } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import type { Partition } from './partition.js';
import { Script } from './script.js';

/** A write that changes nothing: Redis refuses it where it would refuse others. */
const tryWrite = new Script({ keys: ['never'], args: {}, returns: '0', lua: "return redis.call('DEL', neverKey)" });

interface RedisPlaces {
  readonly keys: RedisKeys;
  /** Scripts have to be able to write here. */
  readonly partitions: readonly Partition[];
  /** A key under each prefix that the process uses. One server that is used alone has to hold them all. */
  readonly needed: readonly string[];
}

/** Resolves when scripts can write in each of these partitions and no server may evict keys. Rejects with what is wrong, and where. */
export async function checkRedis(client: RedisClient, { keys, partitions, needed }: RedisPlaces): Promise<void> {
  const faults = await Promise.all([
    ...partitions.map(async (name) =>
      faultOf(name, inWords(client, tryWrite.run(client, { keys: { never: keys.rightsProbe(name) }, args: {} }))),
    ),
    // In a cluster, a part of the keys that is away costs what is kept there alone.
    ...(client instanceof Redis ? [faultOf('other keys', inWords(client, readAll(client, needed)))] : []),
    ...mastersOf(client).map(async (server) => faultOf(addressOf(server), checkPolicy(server))),
  ]);
  const where = Map.groupBy(
    faults.filter((fault) => fault !== null),
    ({ why }) => why,
  );
  if (where.size > 0) throw new Error([...where].map(([why, at]) => `${at.map((one) => one.where).join(', ')}: ${why}`).join('; '));
}

async function readAll(server: Redis, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map(async (key) => server.exists(key)));
}

/** One server that has a part of the keys alone says where the others are. Whoever reads that must know that it is a setting of ours. */
async function inWords(client: RedisClient, trying: Promise<unknown>): Promise<void> {
  await trying.catch((error: unknown) => {
    const isNode = client instanceof Redis && error instanceof Error && /^(MOVED|ASK|CROSSSLOT|CLUSTERDOWN)\b/.test(error.message);
    if (!isNode) throw error;
    throw new Error(`${addressOf(client)} is a node of a cluster; set REDIS_MODE=cluster`, { cause: error });
  });
}

async function checkPolicy(server: Redis): Promise<void> {
  const policy = await policyOf(server);
  if (policy !== 'noeviction') throw new Error(`may evict keys (maxmemory-policy ${policy}, must be noeviction)`);
}

async function faultOf(where: string, trying: Promise<unknown>): Promise<{ readonly where: string; readonly why: string } | null> {
  return trying.then(
    () => null,
    (error: unknown) => ({ where, why: error instanceof Error ? error.message : String(error) }),
  );
}

/**
 * Asks every server at every connect whether it may evict keys, because then it would lose accepted work. One that does not answer is not
 * ready, see `checkRedis`.
 */
export function watchEvictionPolicy(client: RedisClient, onEvicting: (policy: string, server: string) => void): void {
  client.on('ready', () => {
    for (const server of mastersOf(client))
      policyOf(server).then(
        (policy) => {
          if (policy !== 'noeviction') onEvicting(policy, addressOf(server));
        },
        () => undefined,
      );
  });
}

async function policyOf(server: Redis): Promise<string> {
  return /^maxmemory_policy:(\S+)/m.exec(await server.info('memory'))?.[1] ?? 'noeviction';
}

function addressOf({ options: { host, port } }: Redis): string {
  return `${host}:${port}`;
}
