// The system that faults are injected into: the product with the lab's tools, two gateways and two workers, on private stores, with
// a proxy on the way to each store.
import { join } from 'node:path';
import { TcpProxy, type AppProcess, type System, type SystemOptions } from '#lib/testing';
import { migrate } from '../scripts/provision/migrate.js';
import { startPostgres, startRedis, type PrivateStore } from '../scripts/provision/private-stores.js';
import { startLabSystem } from '../test/e2e/lab-system.js';
import type { Ledger } from '../test/lab/ledger-server.js';

export interface LabOptions {
  /** Makes a folder for the stores' data, which is removed with the lab. Default: temporary folders. */
  readonly storeDir?: () => Promise<StoreDir>;
  /** Of each domain. Default: 1. */
  readonly partitions?: number;
  /** The build that the process of this name is started from. Default: this one. */
  readonly root?: (name: string) => string;
  /** Gives the new database its schema. Default: that of this build. */
  readonly migrate?: (databaseUrl: string) => Promise<unknown>;
  /** Workers of further domains. */
  readonly more?: SystemOptions['more'];
}

export interface StoreDir extends AsyncDisposable {
  readonly path: string;
}

export interface Lab extends AsyncDisposable {
  readonly system: System;
  readonly ledger: Ledger;
  /** The one that the way leads to. */
  readonly redis: PrivateStore;
  readonly postgres: PrivateStore;
  readonly redisWay: TcpProxy;
  readonly postgresWay: TcpProxy;
  /** Of a user of the tier pro. */
  readonly apiKey: string;
  /** Of users whose homes are in different partitions; the first is `apiKey`. */
  readonly apiKeys: readonly string[];
  /** Gateways and workers. */
  readonly apps: readonly AppProcess[];
  /** The folder that it was asked to put the stores in. */
  readonly storeDir: string | null;
  /** Leads the product to another Redis. The one before is removed. */
  readonly promote: (replica: PrivateStore) => Promise<void>;
}

/** Calls a day of a user of the tier free: few, so that the limit is reached. */
export const freeQuota = 10;

const env = {
  // Processes drain as they do in production.
  NOTICE_MS: '1000',
  DRAIN_MS: '10000',
  TOOL_QUOTA_FREE: String(freeQuota),
  RATE_LIMIT_FREE: '5000',
};

const otherUsers = 7;
/** All calls look at the profile of one user. */
const scopes = ['tools:read', 'tools:write', 'profile:read:any'];

export async function startLab({ storeDir, partitions = 1, root, migrate: toSchema = migrate, more = [] }: LabOptions = {}): Promise<Lab> {
  await using started = new AsyncDisposableStack();
  const folder = storeDir ? started.use(await storeDir()) : null;
  const placeOf = (name: string) => (folder ? { dir: join(folder.path, name) } : {});
  let redis = await startRedis(placeOf('redis'));
  // That of the end, not of the start.
  started.defer(() => redis[Symbol.asyncDispose]());
  const postgres = started.use(await startPostgres(placeOf('postgres')));
  await toSchema(postgres.url);
  const redisWay = started.use(await TcpProxy.start(portOf(redis)));
  const postgresWay = started.use(await TcpProxy.start(portOf(postgres)));
  const stores = { redisUrl: redisWay.inFrontOf(redis.url), databaseUrl: postgresWay.inFrontOf(postgres.url) };
  const { system, ledger, ...lab } = await startLabSystem({
    stores,
    gateways: 2,
    workers: 2,
    more,
    env: { ...env, PARTITIONS: String(partitions) },
    // One worker is started as by `npm start`, the other as by somebody who does not know which have ended.
    isTold: (name) => !name.endsWith('-2'),
    ...(root && { root }),
  });
  started.use(lab);
  // Connections that were left silent would never answer the lab's own clean-up.
  started.defer(() => [redisWay, postgresWay].forEach((way) => way.cut()));
  const apiKey = await system.tenant.key();
  const others = Array.from({ length: otherUsers }, async (_, n) => system.tenant.key({ userId: `user_chaos_${n}`, scopes }));
  const apiKeys = [apiKey, ...(await Promise.all(others))];
  const owned = started.move();
  return {
    system,
    ledger,
    get redis() {
      return redis;
    },
    postgres,
    redisWay,
    postgresWay,
    apiKey,
    apiKeys,
    apps: [...system.gateways, ...system.workers, ...system.more],
    storeDir: folder?.path ?? null,
    async promote(replica) {
      const before = redis;
      redis = replica;
      redisWay.retarget(portOf(replica));
      await before[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function portOf({ url }: PrivateStore): number {
  return Number(new URL(url).port);
}
