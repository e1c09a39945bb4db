// `npm run failover [-- names]`: masters of Redis die and slots move under load. What was accepted must complete, and refusals must be 503.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempDisposableSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '#lib/testing';
import { RedisKeys } from '#lib/transport';
import { formatSeconds, print, runScript } from '#lib/command-line';
import { startCluster, startPair, startSentinels, type RedisNode, type RedisNodes } from '../../scripts/provision/private-cluster.js';
import { startPostgres } from '../../scripts/provision/private-stores.js';
import { migrate } from '../../scripts/provision/migrate.js';
import { startLabSystem } from '../../test/e2e/lab-system.js';
import { FailoverLoad, type Seen } from './load.js';
import { changePlaces, moveOn } from './move-on.js';
import { moveSlot, ownerOf } from './move-slot.js';
import { makeFlow, Pausing } from './pausing.js';

interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly start: (certificate: Certificate) => Promise<RedisNodes>;
  /** Under load. @param key of what it strikes. @returns what it did */
  readonly act: (nodes: readonly RedisNode[], key: string) => Promise<string>;
  /** What it strikes where that is not the domain that the load calls: the lines of its flows. */
  readonly strikes?: 'flows';
}

/** For 127.0.0.1, signed by itself. */
interface Certificate extends Disposable {
  readonly cert: string;
  readonly key: string;
}

function newCertificate(): Certificate {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-certificate-'));
  const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
  const what = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...what], { stdio: 'ignore' });
  return { cert, key, [Symbol.dispose]: () => folder.remove() };
}

/** Of another version, to try the way to it. */
const { NEXT_REDIS_SERVER: nextServer } = process.env;
const sixNodes = async () => startCluster({ masters: 3, replicas: 1 });

const scenarios: readonly Scenario[] = [
  { name: 'cluster-kill', title: "kill -9 of the domain's master, three masters and three replicas", start: sixNodes, act: killOwner },
  {
    name: 'flows-kill',
    title: 'kill -9 of the master that has the lines of flows, three masters and three replicas',
    start: sixNodes,
    act: killOwner,
    strikes: 'flows',
  },
  {
    name: 'tls-kill',
    title: 'the same with TLS and a certificate of its own authority',
    start: async (tls) => startCluster({ masters: 3, replicas: 1, tls }),
    act: killOwner,
  },
  { name: 'slot-move', title: "the domain's slot moved three times", start: sixNodes, act: async (nodes, key) => moves(nodes, key, 3) },
  {
    name: 'sentinel-kill',
    title: 'kill -9 of the master, two replicas and three sentinels',
    start: async () => startSentinels(),
    act: killMaster,
  },
  {
    name: 'move-on',
    title: 'the server replaced by NEXT_REDIS_SERVER, or by its own version, through a replica',
    start: async () => startPair(nextServer),
    act: moveOn,
  },
  {
    name: 'cluster-move-on',
    title: "the domain's master replaced by its replica, which is of NEXT_REDIS_SERVER or its own version",
    start: async () => startCluster({ masters: 3, replicas: 1, ...(nextServer && { replicaProgram: nextServer }) }),
    act: changePlaces,
  },
];

await runScript(async () => {
  const asked = process.argv.slice(2);
  const chosen = scenarios.filter(({ name }) => asked.length === 0 || asked.includes(name));
  if (chosen.length === 0) throw new Error(`there are ${scenarios.map(({ name }) => name).join(', ')}`);
  await using postgres = await startPostgres();
  await migrate(postgres.url);
  let wrong = 0;
  for (const scenario of chosen) {
    const { did, seen } = await run(scenario, postgres.url);
    wrong += seen.wrong.length + (seen.accepted === seen.completed ? 0 : 1);
    print(
      `${seen.wrong.length === 0 && seen.accepted === seen.completed ? '✓' : '✗'} ${scenario.title}: ${did}. ` +
        `Accepted ${seen.accepted}, completed ${seen.completed}, refused with 503 ${seen.refused}, none accepted for ${formatSeconds(seen.gapMs)}.`,
    );
    for (const one of seen.wrong.slice(-20)) print(`    ${one}`);
  }
  return wrong === 0 ? 0 : 1;
});

async function run({ name, start, act, strikes }: Scenario, databaseUrl: string): Promise<{ readonly did: string; readonly seen: Seen }> {
  using certificate = newCertificate();
  await using redis = await start(certificate);
  const { REDIS_URL, REDIS_MODE = 'single', REDIS_SENTINEL_NAME = '' } = redis.settings;
  await using lab = await startLabSystem({
    stores: { redisUrl: redis.nodes[0]?.store.url ?? '', databaseUrl },
    gateways: 2,
    workers: 2,
    env: { REDIS_URL, REDIS_MODE, REDIS_SENTINEL_NAME, DOMAINS: 'profile', DRAIN_MS: '10000', NODE_EXTRA_CA_CERTS: certificate.cert },
  });
  const { system, ledger } = lab;
  const caller = await system.caller({ tier: 'vip' });
  const admin = await system.admin();
  await makeFlow(admin, 'lab_effect');
  const load = new FailoverLoad(
    system.gateways.map(({ url }) => caller.at(url)),
    ledger,
    name,
  );
  await eventually(() => load.accepted > 200, { withinMs: 30_000, what: 'load' });
  let did = '';
  {
    await using pausing = new Pausing(admin, 'lab_steps');
    const key = strikes === 'flows' ? new RedisKeys(system.namespace).flowSlot() : `{${system.namespace}:profile}:failover`;
    did = await act(redis.nodes, key);
    const before = load.accepted;
    await eventually(() => load.accepted > before + 200, { withinMs: 60_000, what: 'calls that are accepted again' });
    did += `, ${pausing.times} pauses`;
  }
  const seen = await load.stop();
  const ended = [...system.gateways, ...system.workers].filter(({ pid }) => pid === undefined);
  const wrong = [...seen.wrong, ...ended.map(({ url }) => `${url} has ended`)];
  if (wrong.length > 0) {
    const logs = mkdtempSync(join(tmpdir(), 'invoq-failover-'));
    cpSync(system.logFolder, logs, { recursive: true });
    wrong.push(`logs: ${logs}`);
  }
  return { did, seen: { ...seen, wrong } };
}

async function killOwner(nodes: readonly RedisNode[], key: string): Promise<string> {
  const { owner } = await ownerOf(nodes, key);
  return killAndReturn(owner);
}

async function killMaster(nodes: readonly RedisNode[]): Promise<string> {
  const [master] = nodes;
  if (!master) throw new Error('no master');
  return killAndReturn(master);
}

/** It comes back as a replica. */
async function killAndReturn(node: RedisNode): Promise<string> {
  await node.store.kill('SIGKILL');
  await sleep(15_000);
  await node.store.restart();
  await sleep(3_000);
  return `${node.host}:${node.port} killed, back 15 s later`;
}

async function moves(nodes: readonly RedisNode[], key: string, times: number): Promise<string> {
  const moved: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const { owner, slot } = await ownerOf(nodes, key);
    const masters = [];
    for (const node of nodes) if ((await node.admin.info('replication')).includes('role:master')) masters.push(node);
    const to = masters.find((node) => node !== owner);
    if (!to) throw new Error('no other master');
    moved.push(await moveSlot(slot, { from: owner, to, nodes: masters }));
    await sleep(2_000);
  }
  return `${moved.join(', ')} keys`;
}
