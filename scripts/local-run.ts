// The whole product on one machine: stores, schema, demo data, apps, in the order in which each needs the one before.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { appSpec, domainOf, gateway, together, togetherSpec, type AppPlace } from './apps.js';
import { localSettings, type LocalSettings, type ProcessLayout } from './local-settings.js';
import { DataDir } from './provision/data-dir.js';
import { endLeftovers } from './provision/leftovers.js';
import { migrate } from './provision/migrate.js';
import { reportUnclearIds } from './provision/unclear-ids.js';
import { isPortFree, pickPort } from './provision/ports.js';
import { secretsFor } from './provision/secrets.js';
import { starterKnowledgeDigest } from './provision/starter-pages.js';
import { ensureKeys, seedDemoData, type LocalKeys } from './provision/seed.js';
import { checkGivenStores, startStores, type Stores } from './provision/stores.js';
import { CommandError, devEnvMark, forgetLoadedStores, printError, startCommand, step } from '#lib/command-line';
import { startStandIns, type StandIns } from './stand-ins/stand-ins.js';
import { Supervisor } from './supervise.js';

const firstHealthPort = 3101;
/** At the data folder. */
const lookEveryMs = 1_000;
/** What the apps depend on: it starts before them, keeps running while they restart, and stops after them. */
const dependencyNames: readonly string[] = ['redis', 'postgres'];

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
    if (this.dataDir.isLocked) this.dataDir.write('processes.json', `${JSON.stringify(running, null, 2)}\n`, 0o644);
  });
  readonly #layout: ProcessLayout;
  #settings: LocalSettings | undefined;
  readonly #stopped: (() => void | Promise<void>)[] = [];
  #standIns: Promise<StandIns> | undefined;
  #unlock: (() => void) | undefined;

  /** @param layout of the workers, where the setting WORKERS names none */
  constructor(layout: ProcessLayout) {
    this.#layout = layout;
  }

  async start(): Promise<LocalRun> {
    const { dataDir, supervisor } = this;
    const loaded = forgetLoadedStores();
    if (loaded !== null) printError(`! The stores that ${loaded} has put into this shell are not used: this start has its own.`);
    const settings = (this.#settings = await localSettings(this.#layout));
    this.#unlock = dataDir.lock();
    // For the children, and the mark by which a later start recognises processes that outlived this one.
    process.env['INVOQ_DATA_DIR'] = dataDir.path;
    await endLeftovers(dataDir.readJson('processes.json'), dataDir.path);
    const address = await gatewayAddress();
    await checkGivenStores();
    const run = await supervisor.whileRunning(dependencyNames, async (): Promise<LocalRun> => {
      const runs = (domain: string) => settings.apps.some((app) => domainOf(app) === domain);
      // The stand-ins need no store.
      this.#standIns = startStandIns(runs);
      const [[stores, keys], standIns] = await Promise.all([this.#openStores(), this.#standIns]);
      // At the same time: a search needs both the workers and the pages.
      const [workers] = await Promise.all([
        this.#startApps(settings, { stores, address, standIns: standIns.settings }),
        runs('knowledge') && this.#importKnowledge(stores),
      ]);
      return { dataDir, stores, keys, url: address.url, workers };
    });
    dataDir.write('dev.env', devEnv(run));
    return run;
  }

  /** Resolves when the data folder is no longer this start's: whoever deletes it, or a part of it, has ended what runs on it. */
  async dataLost(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.dataDir.isLocked) await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
  }

  /** The gateway first, so that no new call arrives, then the workers, then the stores. */
  async stop(): Promise<void> {
    if (!this.#unlock) return;
    await Promise.all(this.#stopped.map(async (act) => act()));
    await this.supervisor.stop((name) => name === gateway);
    await this.supervisor.stop((name) => !dependencyNames.includes(name));
    await this.#standIns?.then(
      (standIns) => standIns.stop(),
      () => undefined,
    );
    await this.supervisor.stop((name) => name === 'redis');
    await this.supervisor.stop(() => true);
    this.#unlock();
  }

  async #openStores(): Promise<[Stores, LocalKeys]> {
    const stores = await startStores(this.supervisor, this.dataDir);
    await step('Schema', () => migrate(stores.databaseUrl));
    await reportUnclearIds(stores.databaseUrl);
    if (stores.isEmbedded) await step('Demo data', () => seedDemoData(stores.databaseUrl));
    const { INVOQ_ADMIN_KEY: admin, INVOQ_API_KEY: user, INVOQ_SERVE_KEY: serve } = this.dataDir.readEnv('dev.env');
    const keys = await ensureKeys(stores.databaseUrl, { admin, user, serve });
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

  /** The apps that run. */
  get apps(): readonly string[] {
    return this.#settings?.apps ?? [];
  }

  /** Restarts the processes of these apps. Throws CommandError with the last lines of one that does not become ready. */
  async restart(apps: readonly string[]): Promise<void> {
    await this.supervisor.restart((name) => apps.includes(name) || (name === together && apps.some((app) => app !== gateway)));
  }

  /** @param act called when the product stops */
  onStop(act: () => void | Promise<void>): void {
    this.#stopped.push(act);
  }

  async #startApps(
    { apps, workers: layout }: LocalSettings,
    { stores, address, standIns }: Surroundings,
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
    const isTogether = layout === 'together';
    const workers = new Map<string, AppPlace>();
    for (const [index, name] of apps.filter((app) => app !== gateway).entries()) {
      const [host, port] = ['127.0.0.1', await pickPort(firstHealthPort + index)];
      const logFile = this.dataDir.logFile(isTogether ? together : name);
      workers.set(name, { host, port, logFile, env: { ...common, HOST: host, HEALTH_PORT: String(port) } });
    }
    const { port, host, reachableHost } = address;
    const env = { ...common, HOST: host, PORT: String(port) };
    const gatewayPlace = { host: reachableHost, port, env, logFile: this.dataDir.logFile(gateway) };
    const starting = [step(`gateway on ${address.url}`, () => this.supervisor.start(appSpec(gateway, gatewayPlace)))];
    if (isTogether && workers.size > 0)
      starting.push(step(`${[...workers.keys()].join(', ')} in one process`, () => this.supervisor.start(togetherSpec(workers))));
    else
      for (const [name, place] of workers)
        starting.push(step(`${name} on ${urlOf(place)}`, () => this.supervisor.start(appSpec(name, place))));
    await Promise.all(starting);
    return new Map([...workers].map(([name, place]) => [name, urlOf(place)]));
  }
}

function urlOf({ host, port }: Pick<AppPlace, 'host' | 'port'>): string {
  return `http://${host}:${port}`;
}

/** What apps need around them. */
interface Surroundings {
  readonly stores: Stores;
  readonly address: GatewayAddress;
  /** Settings that lead to the stand-ins of external services. */
  readonly standIns: Readonly<Record<string, string>>;
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
  if (!(await isPortFree(port, host))) {
    throw new CommandError(
      `port ${port} on ${host} is taken by another program. Stop that one, or choose another port: PORT=${port + 1} ${startCommand}`,
    );
  }
  // A wildcard address cannot be called.
  const reachableHost = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return { host, port, reachableHost, url: `http://${reachableHost}:${port}` };
}

function devEnv(run: LocalRun): string {
  const lines = variables(run);
  const file = run.dataDir.file('dev.env');
  const shown = run.dataDir.isUsual ? '.data/dev.env' : file;
  return [
    `# Written by ${startCommand}. Load it with: set -a; . ${shown}; set +a`,
    devEnvMark(file, parseEnv(lines.join('\n'))),
    ...lines,
    '',
  ].join('\n');
}

function variables({ url, keys, stores, workers }: LocalRun): readonly string[] {
  const health = [...workers].map(([name, address]) => `${name.replaceAll('-', '_').toUpperCase()}_HEALTH_URL=${address}`);
  return [
    `INVOQ_URL=${url}`,
    `INVOQ_ADMIN_KEY=${keys.admin}`,
    `INVOQ_API_KEY=${keys.user}`,
    `INVOQ_SERVE_KEY=${keys.serve}`,
    `REDIS_URL=${stores.redisUrl}`,
    ...['REDIS_MODE', 'REDIS_SENTINEL_NAME', 'REDIS_SENTINEL_PASSWORD'].flatMap((name) =>
      process.env[name] ? [`${name}=${process.env[name]}`] : [],
    ),
    `DATABASE_URL=${stores.databaseUrl}`,
    ...health,
  ];
}
