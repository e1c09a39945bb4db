import { Client, type QueryArrayResult } from 'pg';
import type { AddressRules } from '#lib/platform';
import { Failure } from '#lib/handlers';
import type { DatabaseAddress } from './database-address.js';
import { DescribeStatement, type Described } from './describe-statement.js';
import { GuardedStream, requestCancel } from './guarded-stream.js';

export interface SessionLimits {
  readonly signal: AbortSignal;
  /** Of each statement, and of a transaction that waits for its next one, in ms. */
  readonly timeoutMs: number;
}

/** For a server to accept a login, in ms. */
const connectMs = 10_000;
/** All values as PostgreSQL writes them. */
const asText = { getTypeParser: () => (text: string) => text };
const cursor = 'invoq_rows';
/** Without it `pg` sends a statement without values in a way that takes several. */
const oneStatement = { queryMode: 'extended' };

/**
 * A connection that serves one piece of work and is closed: nothing that one call sets, locks or prepares is there for the next. What it asks
 * is asked in transactions that only read.
 */
export class Session {
  readonly #client: Client;
  readonly #timeoutMs: number;

  constructor(client: Client, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /** Bounds what is asked outside of a transaction. */
  async bound(): Promise<void> {
    const ms = Math.ceil(this.#timeoutMs);
    await this.#client.query(`SET statement_timeout = ${ms}; SET lock_timeout = ${ms}`);
  }

  /** Begins to read. Dates are ISO 8601 in UTC from here on, and bytes hexadecimal. */
  async begin(): Promise<void> {
    const ms = Math.ceil(this.#timeoutMs);
    await this.#client.query(
      `BEGIN TRANSACTION READ ONLY;
       SET LOCAL statement_timeout = ${ms}; SET LOCAL idle_in_transaction_session_timeout = ${ms}; SET LOCAL lock_timeout = ${ms};
       SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'iso_8601'; SET LOCAL bytea_output = 'hex';
       SET LOCAL extra_float_digits = 1; SET LOCAL standard_conforming_strings = on`,
    );
  }

  async rollback(): Promise<void> {
    await this.#client.query('ROLLBACK');
  }

  async describe(text: string): Promise<Described> {
    return this.#client.query(new DescribeStatement(text)).described;
  }

  /** Opens the cursor over a query. A cursor takes nothing but a query that reads: SELECT, VALUES, TABLE, WITH. */
  async open(text: string, values: readonly unknown[]): Promise<void> {
    const statement = { text: `DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, values: [...values], ...oneStatement };
    await this.#client.query(statement);
  }

  /** The next rows of the cursor. */
  async fetch(count: number): Promise<QueryArrayResult<(string | null)[]>> {
    return this.#client.query({ text: `FETCH FORWARD ${count} FROM ${cursor}`, rowMode: 'array', types: asText });
  }

  /** The rows of a statement of ours, as texts. */
  async ask(text: string): Promise<readonly (readonly (string | null)[])[]> {
    const { rows } = await this.#client.query<(string | null)[]>({ text, rowMode: 'array', types: asText });
    return rows;
  }
}

/**
 * Works on a connection of its own. Where the signal says so the statement is cancelled at the server and the connection closed.
 * @throws the reason of the signal, or what `pg` throws
 */
export async function withSession<Result>(
  address: DatabaseAddress,
  rules: AddressRules,
  { signal, timeoutMs, work }: SessionLimits & { readonly work: (session: Session) => Promise<Result> },
): Promise<Result> {
  signal.throwIfAborted();
  const stream = new GuardedStream(address, rules);
  const { host, port, user, database } = address;
  const client = new Client({
    host,
    port,
    user,
    database,
    // As a function: for an empty one `pg` would take that of this process's environment, or of a file.
    password: () => address.password,
    ssl: false,
    stream: () => stream,
    application_name: 'invoq',
    client_encoding: 'UTF8',
    keepAlive: false,
  });
  // The statement that meets a broken connection reports it.
  client.on('error', () => undefined);
  const leave = Promise.withResolvers<never>();
  leave.promise.catch(() => undefined);
  const onAbort = (): void => {
    leave.reject(signal.reason);
    cancel(client, address, rules);
    stream.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const late = setTimeout(
    () => {
      leave.reject(new Failure('timeout', 'the database accepted no login in time'));
      stream.destroy();
    },
    Math.min(connectMs, timeoutMs),
  );
  const run = async (): Promise<Result> => {
    await client.connect();
    clearTimeout(late);
    return work(new Session(client, timeoutMs));
  };
  const running = run();
  running.catch(() => undefined);
  try {
    return await Promise.race([running, leave.promise]);
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', onAbort);
    // Not waited for: a server that hangs may also hang here. It rolls back what a closed connection began.
    client.end().catch(() => undefined);
    stream.end();
    setTimeout(() => stream.destroy(), 1_000).unref();
  }
}

/** A server goes on with a statement whose connection is gone until it has something to say. */
function cancel(client: Client, address: DatabaseAddress, rules: AddressRules): void {
  // Numbers by which the protocol names a connection, which the types of `pg` leave out.
  const [id, key]: readonly unknown[] = [Reflect.get(client, 'processID'), Reflect.get(client, 'secretKey')];
  if (typeof id === 'number' && typeof key === 'number') requestCancel(address, rules, { id, key }).catch(() => undefined);
}
