// The product with the lab's tools: private stores, an upstream ledger, and as many gateways and workers as wanted, all of them
// real processes. Everything goes away with the lab.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { userScopes } from '#lib/contracts';
import type { ProcessSpec } from '../../scripts/managed-process.js';
import { adminKey, createApiKey, userKey, type KeyWish } from '../../scripts/provision/api-keys.js';
import { migrate } from '../../scripts/provision/migrate.js';
import { pickPort } from '../../scripts/provision/ports.js';
import { startPostgres, startRedis, type PrivateStore } from '../../scripts/provision/private-stores.js';
import { seedDemoData } from '../../scripts/provision/seed.js';
import { root } from '#lib/command-line';
import { LabProcess } from './lab-process.js';
import { Ledger } from './ledger-server.js';

export interface LabOptions {
  readonly gateways?: number;
  readonly workers?: number;
  /** Settings for every process, then for the gateways or the workers alone. */
  readonly env?: NodeJS.ProcessEnv;
  readonly gatewayEnv?: NodeJS.ProcessEnv;
  readonly workerEnv?: NodeJS.ProcessEnv;
}

const wishes = {
  admin: adminKey,
  /** user_001 of the tenant demo, tier pro. */
  user: userKey,
  /** user_other of the same tenant, tier pro. */
  other: { ...userKey, userId: 'user_other' },
  /** A user of another tenant, tier pro. */
  stranger: { tenantId: 'acme', userId: 'user_acme', tier: 'pro', scopes: userScopes },
  /** free_u of the tenant demo, tier free. */
  free: { ...userKey, userId: 'free_u', tier: 'free' },
  /** user_001 again, but it may only read. */
  reader: { ...userKey, scopes: ['tools:read'] },
} as const satisfies Record<string, KeyWish>;

export type LabKeys = Readonly<Record<keyof typeof wishes, string>>;

export interface Lab extends AsyncDisposable {
  /** Of the first gateway. */
  readonly url: string;
  readonly urls: readonly string[];
  readonly keys: LabKeys;
  readonly ledger: Ledger;
  readonly gateways: readonly LabProcess[];
  readonly workers: readonly LabProcess[];
  readonly redis: PrivateStore;
  readonly postgres: PrivateStore;
  /** Holds the logs; removed with the lab. */
  readonly dir: string;
  /** One more worker, ready. */
  readonly addWorker: () => Promise<LabProcess>;
}

export async function startLab({ gateways = 1, workers = 1, env, gatewayEnv, workerEnv }: LabOptions = {}): Promise<Lab> {
  await using started = new AsyncDisposableStack();
  const dir = mkdtempSync(join(tmpdir(), 'invoq-lab-'));
  started.defer(() => rmSync(dir, { recursive: true, force: true }));
  const ledger = started.use(await Ledger.start());
  const redis = started.use(await startRedis());
  const postgres = started.use(await startPostgres());
  await migrate(postgres.url);
  await seedDemoData(postgres.url);
  const keys = await makeKeys(postgres.url);

  const common = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'info',
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    SEALING_KEYS: `lab:${randomBytes(32).toString('base64')}`,
    LEDGER_URL: ledger.url,
    ...env,
  };
  const processes: LabProcess[] = [];
  // The stores are still there when the last process says goodbye to them.
  started.defer(async () => void (await Promise.all(processes.map((process) => process.end()))));
  const launch = async (kind: 'gateway' | 'worker', number: number): Promise<LabProcess> => {
    const port = await pickPort();
    const own = kind === 'gateway' ? { PORT: String(port), ...gatewayEnv } : { HEALTH_PORT: String(port), ...workerEnv };
    const process = new LabProcess(specOf({ kind, name: `${kind}-${number}`, port, dir, env: { ...common, ...own } }));
    processes.push(process);
    await process.start();
    return process;
  };
  const launchAll = (kind: 'gateway' | 'worker', count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => launch(kind, index + 1)));
  const [runningGateways, runningWorkers] = await Promise.all([launchAll('gateway', gateways), launchAll('worker', workers)]);

  const owned = started.move();
  return {
    url: runningGateways[0]?.url ?? '',
    urls: runningGateways.map(({ url }) => url),
    keys,
    ledger,
    gateways: runningGateways,
    workers: runningWorkers,
    redis,
    postgres,
    dir,
    addWorker: async () => {
      const worker = await launch('worker', runningWorkers.length + 1);
      runningWorkers.push(worker);
      return worker;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface Place {
  readonly kind: 'gateway' | 'worker';
  readonly name: string;
  readonly port: number;
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
}

function specOf({ kind, name, port, dir, env }: Place): ProcessSpec {
  return {
    name,
    command: process.execPath,
    args: ['--import', '#source-maps', '--import', '#telemetry', `dist/test/lab/lab-${kind}-main.js`],
    env,
    cwd: root,
    port,
    logFile: join(dir, `${name}.log`),
    isNode: true,
    stopMs: 40_000,
    isReady: () => isReady(`http://127.0.0.1:${port}`),
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

async function makeKeys(databaseUrl: string): Promise<LabKeys> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const entries = [];
    for (const [name, wish] of Object.entries(wishes)) entries.push([name, await createApiKey(client, wish)] as const);
    return Object.fromEntries(entries) as LabKeys;
  } finally {
    await client.end();
  }
}
