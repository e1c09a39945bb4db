import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisNode } from '../../scripts/provision/private-cluster.js';

const batch = 20;

/** The master that has the slot of a key. */
export async function ownerOf(nodes: readonly RedisNode[], key: string): Promise<{ readonly owner: RedisNode; readonly slot: number }> {
  for (const node of nodes) {
    const slot = Number(await node.admin.cluster('KEYSLOT', key).catch(() => -1));
    const isOwner =
      slot >= 0 &&
      (await node.admin.get(key).then(
        () => true,
        () => false,
      ));
    const isMaster = isOwner && (await node.admin.info('replication')).includes('role:master');
    if (isMaster) return { owner: node, slot };
  }
  throw new Error(`no node serves ${key}`);
}

/** Moves a slot as `redis-cli --cluster reshard` does, with pauses so that calls meet every state. @returns how many keys it moved */
export async function moveSlot(
  slot: number,
  { from, to, nodes }: { readonly from: RedisNode; readonly to: RedisNode; readonly nodes: readonly RedisNode[] },
): Promise<number> {
  const [fromId, toId] = await Promise.all([from, to].map(async ({ admin }) => String(await admin.cluster('MYID'))));
  await to.admin.call('cluster', 'setslot', String(slot), 'importing', fromId ?? '');
  await from.admin.call('cluster', 'setslot', String(slot), 'migrating', toId ?? '');
  let moved = 0;
  for (;;) {
    const keys = await from.admin.cluster('GETKEYSINSLOT', slot, batch);
    if (keys.length === 0) break;
    await from.admin.call('migrate', to.host, String(to.port), '', '0', '5000', 'KEYS', ...keys.map(String));
    moved += keys.length;
    await sleep(20);
  }
  // The new owner first, so that no request finds a slot that nobody has.
  for (const node of [to, from, ...nodes.filter((one) => one !== to && one !== from)])
    await node.admin.call('cluster', 'setslot', String(slot), 'node', toId ?? '').catch(() => undefined);
  return moved;
}
