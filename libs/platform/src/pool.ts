import { Pool } from 'pg';
import type { DatabaseOptions } from './database.js';

/** A pool for hand-written SQL. It connects when it is first used, like `createDatabase`. */
export function createPool({ url, poolSize, name, statementTimeoutMs = 5_000 }: DatabaseOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    application_name: name,
    connectionTimeoutMillis: statementTimeoutMs,
    query_timeout: statementTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  // The statement that meets a broken connection reports it; the pool itself only replaces it.
  pool.on('error', () => undefined);
  // One that is lent out and loses its connection between two statements would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
