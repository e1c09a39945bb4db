// The product under test: real gateway and worker processes over real stores, in a namespace and a tenant of its own.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppProcess, type Environment, type LogLine } from './app-process.js';
import { Clock } from './clock/clock.js';
import { HttpCaller } from './http-caller.js';
import { InProcessApp, type StartInProcess } from './in-process-app.js';
import { RedisContents } from './redis-contents.js';
import { newNamespace, redisUrl } from './redis.js';
import { Tenant, type KeyOptions } from './tenant.js';

export interface SystemOptions {
  /** Default 1. */
  readonly gateways?: number;
  /** Default 1. */
  readonly workers?: number;
  /** Default: those that the test run was started with. */
  readonly stores?: { readonly redisUrl: string; readonly databaseUrl: string };
  /** For every process. */
  readonly env?: Environment;
  /** The same for all gateways, or by their number. */
  readonly gatewayEnv?: Environment | ((index: number) => Environment);
  readonly workerEnv?: Environment;
  /** Workers of further domains, by their built entries; they are started when the gateways are there and told INVOQ_URL. */
  readonly more?: readonly { readonly main: string; readonly env?: Environment }[];
  /** Built entries under the root; the product's own by default. */
  readonly mains?: { readonly gateway: string; readonly worker: string };
  /** A folder that holds another build, or the one that the process of this name is to be started from. */
  readonly root?: string | ((name: string) => string);
  /** Runs all apps in this process but those that a test kills, pauses or restarts: see `apart`. */
  readonly inProcess?: StartInProcess;
  /** Which have processes of their own all the same. Gateways are numbered from 1. */
  readonly apart?: readonly ('workers' | 'more' | `gateway ${number}`)[];
  /** Further options of Node for the process of this name. */
  readonly nodeOptions?: (name: string) => readonly string[];
  /** Whether the process of this name is told which before it have ended, as by `npm start`. Default: each is. */
  readonly isTold?: (name: string) => boolean;
}

/** A worker that has just worked is handed calls for a quarter of a second. After this time nobody is. */
export const offerOverMs = 300;

const productMains = { gateway: 'dist/apps/gateway/src/main.js', worker: 'dist/apps/profile-worker/src/main.js' };

export class System implements AsyncDisposable {
  readonly namespace = newNamespace();
  readonly #folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-system-'));
  readonly tenant: Tenant;
  readonly gateways: readonly AppProcess[];
  readonly workers: readonly AppProcess[];
  readonly more: readonly AppProcess[];
  readonly redis: RedisContents;
  /** Moves the time that all processes and the keys in Redis see. */
  readonly clock: Clock;

  /** Use `startSystem`. */
  constructor(tenant: Tenant, options: SystemOptions) {
    const { gateways = 1, workers = 1, more = [], mains = productMains, stores = givenStores(), gatewayEnv, workerEnv } = options;
    this.tenant = tenant;
    this.redis = new RedisContents(stores.redisUrl, this.namespace);
    const files = join(this.#folder.path, 'files');
    mkdirSync(files);
    mkdirSync(this.logFolder);
    const env = {
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      // Calls that a test has left open need not finish.
      NOTICE_MS: '250',
      DRAIN_MS: '1000',
      REDIS_URL: stores.redisUrl,
      DATABASE_URL: stores.databaseUrl,
      INVOQ_NAMESPACE: this.namespace,
      SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      FILES_DIR: files,
      ...options.env,
    };
    const { root = process.cwd(), nodeOptions = () => [], isTold = () => true, inProcess, apart = [] } = options;
    const app = (
      main: string,
      { index, isApart = false }: { readonly index: number; readonly isApart?: boolean },
      own: () => Environment,
    ) => {
      if (inProcess && !isApart) return new InProcessApp({ main, start: inProcess, env: () => ({ ...env, ...own() }) });
      const name = `${appName(main)}-${index + 1}`;
      const logFile = join(this.logFolder, `${name}.log`);
      const rootOf = typeof root === 'function' ? () => root(name) : root;
      const told = { nodeOptions: nodeOptions(name), isTold: isTold(name) };
      return new AppProcess({ root: rootOf, main, logFile, ...told, env: () => ({ ...env, ...own() }) });
    };
    const gatewayEnvOf = typeof gatewayEnv === 'function' ? gatewayEnv : () => gatewayEnv;
    this.gateways = Array.from({ length: gateways }, (_, index) =>
      app(mains.gateway, { index, isApart: apart.includes(`gateway ${index + 1}`) }, () => ({ ...gatewayEnvOf(index) })),
    );
    this.workers = Array.from({ length: workers }, (_, index) =>
      app(mains.worker, { index, isApart: apart.includes('workers') }, () => ({ ...workerEnv })),
    );
    this.more = more.map(({ main, env: own }, index) =>
      app(main, { index: workers + index, isApart: apart.includes('more') }, () => ({ INVOQ_URL: this.gateway.url, ...own })),
    );
    this.clock = new Clock({ apps: this.#apps, redis: this.redis.redis, namespace: this.namespace });
  }

  /** Holds a file for each process with what it has printed, until the system is disposed of. */
  get logFolder(): string {
    return join(this.#folder.path, 'logs');
  }

  get #apps(): readonly AppProcess[] {
    return [...this.gateways, ...this.workers, ...this.more];
  }

  get gateway(): AppProcess {
    return present(this.gateways[0], 'gateway');
  }

  get worker(): AppProcess {
    return present(this.workers[0], 'worker');
  }

  /** A caller at the first gateway with a new key of the system's tenant. */
  async caller(options: KeyOptions = {}): Promise<HttpCaller> {
    return new HttpCaller(this.gateway.url, await this.tenant.key(options));
  }

  /** A caller with every scope, belonging to no user. */
  async admin(): Promise<HttpCaller> {
    return this.caller({ userId: null, tier: 'vip', scopes: ['*'] });
  }

  /** A caller without a credential. */
  get anonymous(): HttpCaller {
    return new HttpCaller(this.gateway.url, null);
  }

  /** Structured log lines of all processes. */
  logs(): readonly LogLine[] {
    return this.#apps.flatMap((app) => app.logs());
  }

  /** Holds the workers (SIGSTOP until SIGCONT), and waits until they are handed no calls any more. */
  async pauseWorkers(): Promise<void> {
    for (const worker of this.workers) worker.signal('SIGSTOP');
    await sleep(offerOverMs);
  }

  /** Kills these workers without warning and lets their locks expire. No other worker may be running a job. */
  async killWorkers(...workers: readonly AppProcess[]): Promise<void> {
    await Promise.all(workers.map((worker) => worker.kill()));
    await this.redis.expireLocks();
  }

  async start(): Promise<this> {
    await Promise.all([...this.gateways, ...this.workers].map((app) => app.start()));
    await Promise.all(this.more.map((app) => app.start()));
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#apps.map((app) => app.stop()));
    // A test may have stopped the stores.
    await Promise.allSettled([this.redis.clear(), this.tenant[Symbol.asyncDispose]()]);
    this.redis[Symbol.dispose]();
    this.clock[Symbol.dispose]();
    this.#folder.remove();
  }
}

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const tenant = await Tenant.create((options.stores ?? givenStores()).databaseUrl);
  const system = new System(tenant, options);
  try {
    return await system.start();
  } catch (error) {
    await system[Symbol.asyncDispose]();
    throw error;
  }
}

/** The stores that `npm test` has started. Throws with a hint when there are none. */
export function givenStores(): { readonly redisUrl: string; readonly databaseUrl: string } {
  const databaseUrl = process.env['DATABASE_URL'];
  if (!databaseUrl) throw new Error('DATABASE_URL is not set: run the tests with `npm test`, which starts a private Postgres');
  return { redisUrl: redisUrl(), databaseUrl };
}

/** `gateway` for `dist/apps/gateway/src/main.js`, `lab-worker-main` for `dist/test/lab/lab-worker-main.js`. */
function appName(main: string): string {
  const file = basename(main, '.js');
  return file === 'main' ? basename(dirname(dirname(main))) : file;
}

function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`this system has no ${what}`);
  return value;
}
