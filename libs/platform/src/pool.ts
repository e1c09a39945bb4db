import { Pool } from 'pg';

export interface PoolOptions {
  /** With `pgbouncer=true` where a pooler in transaction mode stands before Postgres, as Prisma writes it. */
  readonly url: string;
  readonly poolSize: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /** A statement that takes longer is given up, so a hanging server frees the pool. Default 5,000. */
  readonly statementTimeoutMs?: number;
}

/**
 * A pool for hand-written SQL. It connects when it is first used, like `createDatabase`.
 * @param parameters of Postgres for each connection, as `-c name=value`
 */
export function createPool({ url, poolSize, name, statementTimeoutMs = 5_000 }: PoolOptions, parameters?: string): Pool {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    application_name: name,
    connectionTimeoutMillis: statementTimeoutMs,
    query_timeout: statementTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    ...(parameters !== undefined && { options: parameters }),
  });
  // The statement that meets a broken connection reports it; the pool itself only replaces it.
  pool.on('error', () => undefined);
  // One that is lent out and loses its connection between two statements would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
