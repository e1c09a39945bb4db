import type { QueryResult, QueryResultRow } from 'pg';

/** Runs SQL statements: a `pg` Client or Pool, or an adapter, for example over Prisma's `$queryRawUnsafe`. */
export interface Sql {
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Pick<QueryResult<Row>, 'rows'>>;
}

/** A pool that can also lend a single connection, for transactions. */
export interface SqlPool extends Sql {
  connect(): Promise<Sql & { release: (error?: Error | boolean) => void }>;
}

/** Runs work in one transaction. Rolls back and throws when the work fails. @param settings statements that run right after BEGIN */
export async function inTransaction<Result>(pool: SqlPool, work: (sql: Sql) => Promise<Result>, settings = ''): Promise<Result> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query(`BEGIN; ${settings}`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // ROLLBACK fails only when the connection is broken. The pool must then discard it.
    await client.query('ROLLBACK').catch(() => void (broken = true));
    throw error;
  } finally {
    client.release(broken);
  }
}
