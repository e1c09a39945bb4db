// The two stores of a local run: those that the environment names, else private ones.
import { existsSync } from 'node:fs';
import { step } from '#lib/command-line';
import type { Supervisor } from '../supervise.js';
import type { DataDir } from './data-dir.js';
import { checkPostgres, checkRedis, givenRedis } from './given-stores.js';
import { pickPort } from './ports.js';
import { postgresSpec, postgresUrl } from './postgres.js';
import { unpackReadyDatabase } from './ready-database.js';
import { redisSpec, redisUrl } from './redis.js';

export interface Stores {
  readonly redisUrl: string;
  readonly databaseUrl: string;
  /** Whether the database is the embedded one, which holds demo data. */
  readonly isEmbedded: boolean;
}

const redisPort = 6390;
const postgresPort = 5490;

/** Called before anything is installed or started: a wrong address should be told within seconds. */
export async function checkGivenStores(): Promise<void> {
  const { DATABASE_URL: database } = process.env;
  const redis = givenRedis();
  await Promise.all([redis && checkRedis('REDIS_URL', redis), database && checkPostgres('DATABASE_URL', database)]);
}

export async function startStores(supervisor: Supervisor, dataDir: DataDir): Promise<Stores> {
  const { REDIS_URL: redis, DATABASE_URL: database } = process.env;
  const [givenOrOwnRedis, givenOrOwnDatabase] = await Promise.all([
    redis || startRedis(supervisor, dataDir),
    database || startPostgres(supervisor, dataDir),
  ]);
  return { redisUrl: givenOrOwnRedis, databaseUrl: givenOrOwnDatabase, isEmbedded: !database };
}

async function startRedis(supervisor: Supervisor, dataDir: DataDir): Promise<string> {
  const port = await pickPort(redisPort);
  return step(`Redis on 127.0.0.1:${port}`, async () => {
    await supervisor.start(await redisSpec({ dir: dataDir.file('redis'), port, logFile: dataDir.logFile('redis') }));
    return redisUrl(port);
  });
}

async function startPostgres(supervisor: Supervisor, dataDir: DataDir): Promise<string> {
  const port = await pickPort(postgresPort);
  const dir = dataDir.file('postgres');
  const isNew = !existsSync(dir);
  return step(`Postgres (PGlite) on 127.0.0.1:${port}${isNew ? ', a new database' : ''}`, async () => {
    if (isNew) dataDir.write('starter-knowledge.json', JSON.stringify(await unpackReadyDatabase(dir)));
    await supervisor.start(postgresSpec({ dir, port, logFile: dataDir.logFile('postgres') }));
    return postgresUrl(port);
  });
}
