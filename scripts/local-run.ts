// The whole product on one machine: stores, schema, demo data, apps, in the order in which each needs the one before.
import { appNames, appSpec, gateway } from './apps.js';
import { DataDir } from './provision/data-dir.js';
import { endLeftovers } from './provision/leftovers.js';
import { migrate } from './provision/migrate.js';
import { isPortFree, pickPort } from './provision/ports.js';
import { secretsFor } from './provision/secrets.js';
import { starterKnowledgeDigest } from './provision/starter-pages.js';
import { ensureKeys, seedDemoData, type LocalKeys } from './provision/seed.js';
import { checkGivenStores, startStores, type Stores } from './provision/stores.js';
import { CommandError, step } from '#lib/command-line';
import { standInNames, startStandIns } from './stand-ins/stand-ins.js';
import { Supervisor } from './supervise.js';

const firstHealthPort = 3101;
/** What the apps depend on: it starts before them, keeps running while they restart, and stops after them. */
const dependencyNames: readonly string[] = ['redis', 'postgres', ...standInNames];

export interface LocalRun {
  readonly dataDir: DataDir;
  readonly stores: Stores;
  readonly keys: LocalKeys;
  readonly url: string;
  /** Health addresses by worker. */
  readonly workers: ReadonlyMap<string, string>;
}

/** Starts, restarts and stops everything, for one data folder. */
export class LocalProduct {
  readonly dataDir = new DataDir();
  readonly supervisor = new Supervisor((running) => {
    this.dataDir.write('processes.json', `${JSON.stringify(running, null, 2)}\n`, 0o644);
  });
  #unlock: (() => void) | undefined;

  async start(): Promise<LocalRun> {
    const { dataDir, supervisor } = this;
    this.#unlock = dataDir.lock();
    // For the children, and the mark by which a later start recognises processes that outlived this one.
    process.env['INVOQ_DATA_DIR'] = dataDir.path;
    await endLeftovers(dataDir.readJson('processes.json'), dataDir.path);
    const address = await gatewayAddress();
    await checkGivenStores();
    const run = await supervisor.whileRunning(dependencyNames, async (): Promise<LocalRun> => {
      // The stand-ins need no store.
      const [[stores, keys], standIns] = await Promise.all([this.#openStores(), startStandIns(supervisor, dataDir)]);
      // At the same time: a search needs both the workers and the pages.
      const [workers] = await Promise.all([this.#startApps(stores, address, standIns), this.#importKnowledge(stores)]);
      return { dataDir, stores, keys, url: address.url, workers };
    });
    dataDir.write('dev.env', devEnv(run));
    return run;
  }

  /** The gateway first, so that no new call arrives, then the workers, then the stores. */
  async stop(): Promise<void> {
    if (!this.#unlock) return;
    await this.supervisor.stop((name) => name === gateway);
    await this.supervisor.stop((name) => !dependencyNames.includes(name));
    await this.supervisor.stop((name) => name === 'redis');
    await this.supervisor.stop(() => true);
    this.#unlock();
  }

  async #openStores(): Promise<[Stores, LocalKeys]> {
    const stores = await startStores(this.supervisor, this.dataDir);
    await step('Schema', () => migrate(stores.databaseUrl));
    if (stores.isEmbedded) await step('Demo data', () => seedDemoData(stores.databaseUrl));
    const kept = this.dataDir.readEnv('dev.env');
    const keys = await ensureKeys(stores.databaseUrl, { admin: kept['INVOQ_ADMIN_KEY'], user: kept['INVOQ_API_KEY'] });
    return [stores, keys];
  }

  /** Skipped where the embedded database has the present pages already: comparing them took a third of a later start. */
  async #importKnowledge({ databaseUrl, isEmbedded }: Stores): Promise<void> {
    const digest = starterKnowledgeDigest();
    if (isEmbedded && this.dataDir.readJson('starter-knowledge.json') === digest) return;
    // Loaded only here: its parsers would slow down every later start.
    const { importStarterKnowledge } = await import('./provision/starter-knowledge.js');
    await step('Starter knowledge', () => importStarterKnowledge(databaseUrl));
    if (isEmbedded) this.dataDir.write('starter-knowledge.json', JSON.stringify(digest));
  }

  restartApps(): Promise<void> {
    return this.supervisor.restart((name) => !dependencyNames.includes(name));
  }

  async #startApps(
    stores: Stores,
    address: GatewayAddress,
    standIns: Readonly<Record<string, string>>,
  ): Promise<ReadonlyMap<string, string>> {
    const common = {
      REDIS_URL: stores.redisUrl,
      DATABASE_URL: stores.databaseUrl,
      NODE_ENV: process.env['NODE_ENV'] || 'development',
      INVOQ_URL: address.url,
      PUBLIC_URL: process.env['PUBLIC_URL'] || address.url,
      FILES_DIR: process.env['FILES_DIR'] || this.dataDir.file('files'),
      ...standIns,
      ...secretsFor(this.dataDir),
    };
    const workers = new Map<string, string>();
    const starting: Promise<void>[] = [];
    for (const [index, name] of appNames().entries()) {
      const isGateway = name === gateway;
      const port = isGateway ? address.port : await pickPort(firstHealthPort + index - 1);
      const host = isGateway ? address.reachableHost : '127.0.0.1';
      const own = isGateway ? { PORT: String(port), HOST: address.host } : { HEALTH_PORT: String(port), HOST: host };
      if (!isGateway) workers.set(name, `http://${host}:${port}`);
      const spec = appSpec(name, { port, host, logFile: this.dataDir.logFile(name), env: { ...common, ...own } });
      starting.push(step(`${name} on http://${host}:${port}`, () => this.supervisor.start(spec)));
    }
    await Promise.all(starting);
    return workers;
  }
}

interface GatewayAddress {
  readonly host: string;
  readonly port: number;
  readonly reachableHost: string;
  readonly url: string;
}

async function gatewayAddress(): Promise<GatewayAddress> {
  const host = process.env['HOST'] || '127.0.0.1';
  const port = Number(process.env['PORT'] || 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new CommandError(`PORT is not a port number: ${process.env['PORT']}`);
  if (!(await isPortFree(port, host))) {
    throw new CommandError(
      `port ${port} on ${host} is taken by another program. Stop that one, or choose another port: PORT=${port + 1} npm start`,
    );
  }
  // A wildcard address cannot be called.
  const reachableHost = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return { host, port, reachableHost, url: `http://${reachableHost}:${port}` };
}

function devEnv({ url, keys, stores, workers }: LocalRun): string {
  const health = [...workers].map(([name, address]) => `${name.replaceAll('-', '_').toUpperCase()}_HEALTH_URL=${address}`);
  const lines = [
    '# Written by npm start. Load it with: set -a; . .data/dev.env; set +a',
    `INVOQ_URL=${url}`,
    `INVOQ_ADMIN_KEY=${keys.admin}`,
    `INVOQ_API_KEY=${keys.user}`,
    `REDIS_URL=${stores.redisUrl}`,
    `DATABASE_URL=${stores.databaseUrl}`,
    ...health,
  ];
  return `${lines.join('\n')}\n`;
}
