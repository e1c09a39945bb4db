// Real stores for tests and chaos runs: private processes on free ports, in a folder that goes away with them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeExit, lastLines, ManagedProcess, type ProcessSpec } from '../managed-process.js';
import { printError } from '#lib/command-line';
import { pickPort } from './ports.js';
import { migrate } from './migrate.js';
import { postgresSpec, postgresUrl } from './postgres.js';
import { redisSpec, redisUrl, type StorePlace } from './redis.js';

export interface StoreOptions extends Omit<StorePlace, 'dir' | 'port' | 'logFile'> {
  /** Kept after stop; without it the store has a temporary folder of its own. */
  readonly dir?: string;
}

export interface PrivateStore extends AsyncDisposable {
  readonly url: string;
  /** Undefined while it is down. */
  readonly pid: number | undefined;
  /** Stops it in order. The data stays until the store is disposed of. */
  readonly stop: () => Promise<void>;
  /** SIGKILL loses what was not yet written; SIGSTOP makes it hang until SIGCONT. */
  readonly kill: (signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT') => Promise<void>;
  /** Starts it again on the same port and data; stops it first where it runs. */
  readonly restart: () => Promise<void>;
}

export function startRedis(options: StoreOptions = {}): Promise<PrivateStore> {
  return startStore(options, { name: 'redis', specOf: redisSpec, urlOf: redisUrl });
}

/** It has the present schema already in a clone, and none elsewhere: see `migrate`. */
export function startPostgres(options: StoreOptions = {}): Promise<PrivateStore> {
  return startStore(options, { name: 'postgres', specOf: postgresSpec, urlOf: postgresUrl });
}

/** Both stores of a product system, migrated, with their addresses as `startSystem` takes them. */
export interface PrivateStores extends AsyncDisposable {
  readonly redis: PrivateStore;
  readonly postgres: PrivateStore;
  readonly redisUrl: string;
  readonly databaseUrl: string;
}

export async function startStores(): Promise<PrivateStores> {
  await using started = new AsyncDisposableStack();
  const redis = started.use(await startRedis());
  const postgres = started.use(await startPostgres());
  await migrate(postgres.url);
  const owned = started.move();
  return { redis, postgres, redisUrl: redis.url, databaseUrl: postgres.url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

interface StoreKind {
  readonly name: string;
  readonly specOf: (place: StorePlace) => ProcessSpec | Promise<ProcessSpec>;
  readonly urlOf: (port: number) => string;
}

async function startStore({ dir, ...further }: StoreOptions, { name, specOf, urlOf }: StoreKind): Promise<PrivateStore> {
  const home = dir ?? mkdtempSync(join(tmpdir(), `invoq-${name}-`));
  const port = await pickPort();
  const store = new ManagedProcess(await specOf({ dir: join(home, 'data'), port, logFile: join(home, `${name}.log`), ...further }));

  const remove = (): void => {
    if (!dir) rmSync(home, { recursive: true, force: true });
  };
  let isExpected = false;
  const reportUnexpectedExit = (): void => {
    isExpected = false;
    void store.exited.then((exit) => {
      if (!isExpected)
        printError(
          `${name} of this run (port ${port}) ended: ${describeExit(exit)}. The last lines of its log:\n${lastLines(store.spec.logFile)}`,
        );
    });
  };
  await store.start().catch((error: unknown) => {
    remove();
    throw error;
  });
  reportUnexpectedExit();
  const stop = async (): Promise<void> => {
    isExpected = true;
    // A process that SIGSTOP holds cannot react to SIGTERM.
    store.signal('SIGCONT');
    await store.stop();
  };
  return {
    url: urlOf(port),
    get pid() {
      return store.pid;
    },
    stop,
    async kill(signal) {
      isExpected = signal === 'SIGKILL';
      store.signal(signal);
      if (signal === 'SIGKILL') await store.exited;
    },
    async restart() {
      await stop();
      await store.start();
      reportUnexpectedExit();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      remove();
    },
  };
}
