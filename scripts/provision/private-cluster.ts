// Several Redis servers for tests and failovers: a cluster, or a master with replicas and sentinels. Private processes on free ports.
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { CommandError } from '#lib/command-line';
import type { RedisSettings } from '#lib/platform';
import { ManagedProcess } from '../managed-process.js';
import { pickPort } from './ports.js';
import { startRedis, type PrivateStore, type StoreOptions } from './private-stores.js';
import { findRedis } from './redis-binary.js';

/** One server, and a connection to it that may do everything. */
export interface RedisNode {
  readonly store: PrivateStore;
  readonly host: string;
  readonly port: number;
  readonly admin: Redis;
}

export interface RedisNodes extends AsyncDisposable {
  /** The masters first, then their replicas. */
  readonly nodes: readonly RedisNode[];
  /** Lead to all of them. */
  readonly settings: RedisSettings;
}

interface ClusterOptions {
  readonly masters: number;
  /** Of each master. */
  readonly replicas?: number;
  /** Of the replicas. Default: that of the masters. */
  readonly replicaProgram?: string;
  /** After which silence a node is taken for dead. Default 5,000. */
  readonly nodeTimeoutMs?: number;
  /** Files of a certificate for 127.0.0.1 and its key: clients and nodes then talk TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

const slots = 16_384;
const formedWithinMs = 30_000;

/** A cluster whose masters share the slots evenly. */
export async function startCluster({
  masters,
  replicas = 0,
  replicaProgram,
  nodeTimeoutMs = 5_000,
  tls,
}: ClusterOptions): Promise<RedisNodes> {
  await using started = new AsyncDisposableStack();
  const nodes = await Promise.all(
    Array.from({ length: masters * (1 + replicas) }, async (_, index) => {
      const program = index < masters || !replicaProgram ? {} : { program: replicaProgram };
      const bus = await pickPort();
      const own = ['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--cluster-node-timeout', String(nodeTimeoutMs)];
      if (!tls) return { ...(await startNode(started, { args: own, ...program })), bus };
      const port = await pickPort();
      return { ...(await startNode(started, { args: [...own, ...tlsArgs(port, tls)], ...program })), port, bus };
    }),
  );
  const [first, ...others] = nodes;
  if (!first) throw new RangeError('a cluster has a node');
  const heads = nodes.slice(0, masters);
  const from = (index: number): number => Math.ceil((slots * index) / masters);
  await Promise.all(heads.map(async ({ admin: node }, index) => node.cluster('ADDSLOTSRANGE', from(index), from(index + 1) - 1)));
  for (const { host, port, bus } of others) await first.admin.call('cluster', 'meet', host, String(port), String(bus));
  await until('the nodes know each other', nodes, async ({ admin: node }) =>
    (await node.cluster('INFO')).includes(`cluster_known_nodes:${nodes.length}\r`),
  );
  const ids = await Promise.all(heads.map(async ({ admin: node }) => String(await node.call('cluster', 'myid'))));
  await Promise.all(
    nodes.slice(masters).map(async ({ admin: node }, index) => node.call('cluster', 'replicate', ids[index % masters] ?? '')),
  );
  await until('the replicas follow', nodes.slice(masters), async ({ admin: node }) =>
    (await node.info('replication')).includes('master_link_status:up'),
  );
  await until('all slots are served', nodes, async ({ admin: node }) => (await node.cluster('INFO')).includes('cluster_state:ok'));
  const owned = started.move();
  const REDIS_URL = `${tls ? 'rediss' : 'redis'}://${nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`;
  return { nodes, settings: { REDIS_MODE: 'cluster', REDIS_URL }, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function tlsArgs(port: number, { cert, key }: NonNullable<ClusterOptions['tls']>): readonly string[] {
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
  return ['--tls-port', String(port), ...files, '--tls-auth-clients', 'no', '--tls-cluster', 'yes', '--tls-replication', 'yes'];
}

/** A master, two replicas and three sentinels, which take the master for dead after this silence. */
export async function startSentinels({ downAfterMs = 2_000 }: { readonly downAfterMs?: number } = {}): Promise<RedisNodes> {
  await using started = new AsyncDisposableStack();
  const master = await startNode(started);
  const replicas = await Promise.all(
    Array.from({ length: 2 }, async () => startNode(started, { args: ['--replicaof', master.host, String(master.port)] })),
  );
  const nodes = [master, ...replicas];
  await until('the replicas follow', replicas, async ({ admin }) => (await admin.info('replication')).includes('master_link_status:up'));
  const sentinels = await Promise.all(Array.from({ length: 3 }, async () => startSentinel(started, { master, downAfterMs })));
  await until('the sentinels know each other', sentinels, async ({ admin }) => {
    const told = await admin.call('sentinel', 'master', masterName);
    const facts = Array.isArray(told) ? told.map(String) : [];
    const count = (name: string): number => Number(facts[facts.indexOf(name) + 1]);
    return count('num-other-sentinels') === 2 && count('num-slaves') === 2;
  });
  const owned = started.move();
  const REDIS_URL = `redis://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  return {
    nodes,
    settings: { REDIS_MODE: 'sentinel', REDIS_SENTINEL_NAME: masterName, REDIS_URL },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A server that is in use, and another one that knows nothing of it. */
export async function startPair(otherProgram?: string): Promise<RedisNodes> {
  await using started = new AsyncDisposableStack();
  const used = await startNode(started);
  const nodes = [used, await startNode(started, otherProgram ? { program: otherProgram } : {})];
  const owned = started.move();
  return { nodes, settings: { REDIS_URL: used.store.url }, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const masterName = 'main';

async function startNode(started: AsyncDisposableStack, options: StoreOptions = {}): Promise<RedisNode> {
  const store = started.use(await startRedis(options));
  const { hostname: host, port } = new URL(store.url);
  const admin = started.adopt(new Redis(store.url, { maxRetriesPerRequest: 1 }), (client) => client.disconnect());
  admin.on('error', () => undefined);
  return { store, host, port: Number(port), admin };
}

async function startSentinel(
  started: AsyncDisposableStack,
  { master, downAfterMs }: { readonly master: RedisNode; readonly downAfterMs: number },
): Promise<{ readonly port: number; readonly admin: Redis }> {
  const command = await findRedis();
  if (command.kind !== 'binary') throw new CommandError('sentinels need a redis-server or valkey-server on this machine');
  const folder = started.use(mkdtempDisposableSync(join(tmpdir(), 'invoq-sentinel-')));
  const port = await pickPort();
  const file = join(folder.path, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor ${masterName} ${master.host} ${master.port} 2`,
    `sentinel down-after-milliseconds ${masterName} ${downAfterMs}`,
    `sentinel failover-timeout ${masterName} 10000`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const admin = started.adopt(new Redis(port, '127.0.0.1', { lazyConnect: true }), (client) => client.disconnect());
  admin.on('error', () => undefined);
  const spec = {
    name: 'sentinel',
    command: command.path,
    args: [file, '--sentinel'],
    cwd: folder.path,
    port,
    isNode: false,
    stopMs: 5_000,
  };
  const isReady = async (): Promise<boolean> => (await admin.ping().catch(() => '')) === 'PONG';
  const process = new ManagedProcess({ ...spec, logFile: join(folder.path, 'sentinel.log'), isReady });
  started.defer(() => process.stop());
  await process.start();
  return { port, admin };
}

async function until<Node>(what: string, nodes: readonly Node[], isSo: (node: Node) => Promise<boolean>): Promise<void> {
  const before = performance.now() + formedWithinMs;
  for (const node of nodes)
    while (!(await isSo(node).catch(() => false))) {
      if (performance.now() > before) throw new Error(`in ${formedWithinMs / 1_000} s it did not come so far that ${what}`);
      await sleep(50);
    }
}
