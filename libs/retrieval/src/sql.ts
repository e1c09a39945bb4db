import type { QueryResult, QueryResultRow } from 'pg';

/** What statements are run on: a `pg` Client or Pool, or anything that answers like one (Prisma's `$queryRawUnsafe` in three lines). */
export interface Sql {
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Pick<QueryResult<Row>, 'rows'>>;
}

/** A pool that lends a connection of one's own, for what must be one transaction. */
export interface SqlPool extends Sql {
  connect(): Promise<Sql & { release: (error?: Error | boolean) => void }>;
}

/** Runs work in one transaction: all of it holds, or nothing. */
export async function inTransaction<Result>(pool: SqlPool, work: (sql: Sql) => Promise<Result>, settings = ''): Promise<Result> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query(`BEGIN; ${settings}`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // Fails only with the connection, which then goes too.
    await client.query('ROLLBACK').catch(() => void (broken = true));
    throw error;
  } finally {
    client.release(broken);
  }
}
