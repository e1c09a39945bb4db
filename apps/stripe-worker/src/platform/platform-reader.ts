// Reads the platform's database. Every read is a read-only transaction in a role that may select from three views and nothing else.
import { Pool, type PoolClient, type QueryResultRow } from 'pg';

interface ReaderOptions {
  readonly url: string;
  readonly poolSize: number;
  /** The role of each transaction; `none` keeps the role of the login. */
  readonly role: string;
  /** Statements are cancelled after this time, in ms. */
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
    // A broken connection is reported by the read that uses it. Without these listeners an idle one would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.#begin = `BEGIN READ ONLY; SET LOCAL ROLE ${role === 'none' ? 'NONE' : `"${role}"`}; SET LOCAL statement_timeout = ${statementTimeoutMs}`;
  }

  /** Runs reads in one transaction. @throws what the database or the connection throws */
  async read<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await client.query(this.#begin);
      const result = await work(async (text, values) => (await client.query(text, [...values])).rows);
      // Nothing was written, so the result waits for no end of the transaction.
      void end(client, 'COMMIT');
      return result;
    } catch (error) {
      await end(client, 'ROLLBACK');
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** A connection on which a transaction does not end is discarded. */
async function end(client: PoolClient, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  await client.query(how).then(
    () => client.release(),
    () => client.release(true),
  );
}
