// Reads of the platform's database. Every one is a read-only transaction as a role that may read three views and do nothing else.
import { Pool, type PoolClient, type QueryResultRow } from 'pg';

interface ReaderOptions {
  readonly url: string;
  readonly poolSize: number;
  /** What each transaction becomes; `none` stays whoever the address logs in as. */
  readonly role: string;
  /** A statement that takes longer is given up, in ms. */
  readonly statementTimeoutMs: number;
}

export type Query = <Row extends QueryResultRow>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

export class PlatformReader {
  readonly #pool: Pool;
  readonly #begin: string;

  constructor({ url, poolSize, role, statementTimeoutMs }: ReaderOptions) {
    this.#pool = new Pool({
      connectionString: url,
      max: poolSize,
      application_name: 'stripe-worker',
      connectionTimeoutMillis: statementTimeoutMs,
      query_timeout: statementTimeoutMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
    });
    // Whoever meets the broken connection reports it, in use or idle.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.#begin = `BEGIN READ ONLY; SET LOCAL ROLE ${role === 'none' ? 'NONE' : `"${role}"`}; SET LOCAL statement_timeout = ${statementTimeoutMs}`;
  }

  /** Runs reads on one connection, in one snapshot of the database's roles and rows. */
  async read<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await client.query(this.#begin);
      const result = await work(async (text, values) => (await client.query(text, [...values])).rows);
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      await rollBack(client);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** What cannot be undone is thrown away with its connection. */
async function rollBack(client: PoolClient): Promise<void> {
  await client.query('ROLLBACK').then(
    () => client.release(),
    () => client.release(true),
  );
}
