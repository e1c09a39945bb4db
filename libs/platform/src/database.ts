import { hash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from './generated/prisma/client.js';

export type Database = PrismaClient;

/** A piece of SQL with its values; pieces are composed by tagging: sql`… ${piece}`. */
export type Sql = Prisma.Sql;
export const { sql, join: joinSql } = Prisma;
/** Null in a column of JSON, which may hold the null of JSON too. */
export const noJson = Prisma.DbNull;

/** What runs SQL: a database, or a transaction of one. */
export type SqlRunner = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw' | '$queryRawUnsafe'>;

export interface DatabaseOptions {
  /** With `pgbouncer=true` where a pooler in transaction mode stands before Postgres, as Prisma writes it. */
  readonly url: string;
  readonly poolSize: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /** A statement that takes longer is given up, so a hanging server frees the pool. Default 5,000. */
  readonly statementTimeoutMs?: number;
  /**
   * Statements are planned once for each connection and run by that plan from then on. For statements whose planning costs more than
   * their work and whose best plan does not depend on their values. Default false. Not behind a pooler that lends its connections for one
   * transaction: there no connection keeps what was prepared on it.
   */
  readonly prepared?: boolean;
}

/** Starting helper processes and compiling takes longer than any of these statements. */
const shortStatements = '-c plan_cache_mode=force_generic_plan -c max_parallel_workers_per_gather=0 -c jit=off';

/** Names by text. There are as many as ways to ask, so they are kept. */
const statementNames = new Map<string, string>();

function statementName(text: string): string {
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  const name = hash('sha1', text, 'hex');
  statementNames.set(text, name);
  return name;
}

/** A client that connects when first used: a process starts without its database and finds it when it is there. */
export function createDatabase({ url, poolSize, name, statementTimeoutMs = 5_000, ...options }: DatabaseOptions): Database {
  const prepared = options.prepared === true && !isPooled(url);
  const adapter = new PrismaPg(
    {
      connectionString: url,
      max: poolSize,
      application_name: name,
      connectionTimeoutMillis: statementTimeoutMs,
      query_timeout: statementTimeoutMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      ...(prepared && { options: shortStatements }),
    },
    {
      // The statement that meets a broken connection reports it; the pool itself only replaces it.
      onPoolError: () => undefined,
      onConnectionError: () => undefined,
      ...(prepared && { statementNameGenerator: ({ sql: text }) => statementName(text) }),
    },
  );
  return new PrismaClient({ adapter });
}

function isPooled(url: string): boolean {
  return new URL(url).searchParams.get('pgbouncer') === 'true';
}
