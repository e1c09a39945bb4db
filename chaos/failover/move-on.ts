// Servers give their places to others, as the runbook says under "Another major version of Redis".
import { formatSeconds } from '#lib/command-line';
import { eventually } from '#lib/testing';
import type { RedisNode } from '../../scripts/provision/private-cluster.js';
import { ownerOf } from './move-slot.js';

const inStepWithinMs = 60_000;

/** The other one follows, the first is stopped, and the other one takes its port. The port stands for whatever leads the product to a server. */
export async function moveOn([from, to]: readonly RedisNode[]): Promise<string> {
  if (!from || !to) throw new RangeError('to move on needs two servers');
  const [older, newer] = [await versionOf(from), await versionOf(to)];
  const began = performance.now();
  await to.admin.replicaof(from.host, from.port);
  await eventually(async () => (await to.admin.info('replication')).includes('master_link_status:up'), {
    withinMs: inStepWithinMs,
    what: 'a replica in step',
  });
  const followed = performance.now();
  const keys = await to.admin.dbsize();
  // From 7.0 on a server that is told to end holds writes back until its replicas have all.
  await from.store.stop();
  const stopped = performance.now();
  await to.admin.replicaof('no', 'one');
  await to.admin.config('SET', 'port', from.port);
  return (
    `${older} → ${newer}, ${keys} keys in step after ${formatSeconds(followed - began)}, ` +
    `the old one ended in ${formatSeconds(stopped - followed)}, the new one in its place ${formatSeconds(performance.now() - stopped)} later`
  );
}

/** In a cluster: the domain's master and its replica change places. */
export async function changePlaces(nodes: readonly RedisNode[], key: string): Promise<string> {
  const { owner } = await ownerOf(nodes, key);
  const roles = await Promise.all(nodes.map(async ({ admin }) => admin.info('replication')));
  const replica = nodes.find((_, index) => roles[index]?.includes(`master_port:${owner.port}\r`));
  if (!replica) throw new Error('the master has no replica');
  const [older, newer] = [await versionOf(owner), await versionOf(replica)];
  const began = performance.now();
  await replica.admin.cluster('FAILOVER');
  await eventually(async () => (await replica.admin.info('replication')).includes('role:master'), { what: 'a new master' });
  return `${older} → ${newer} in ${formatSeconds(performance.now() - began)}`;
}

async function versionOf({ admin }: RedisNode): Promise<string> {
  const facts = await admin.info('server');
  const [, valkey] = /^valkey_version:(\S+)/m.exec(facts) ?? [];
  const [, redis] = /^redis_version:(\S+)/m.exec(facts) ?? [];
  return valkey ? `Valkey ${valkey}` : `Redis ${redis ?? '?'}`;
}
