import { types, type Pool, type PoolClient, type QueryResult } from 'pg';
import { Sql, sql } from '@prisma/client-runtime-utils';

/** What runs SQL: a database, or a transaction of one. */
export interface SqlRunner {
  /**
   * The rows of a statement: integers of 8 bytes as `bigint`, times as `Date`, JSON parsed, exact decimals as text.
   * @throws what `pg` throws, with the SQLSTATE as `code`
   */
  $queryRaw<Rows = unknown>(query: Query, ...values: readonly unknown[]): Promise<Rows>;
  /** How many rows a statement changed. */
  $executeRaw(query: Query, ...values: readonly unknown[]): Promise<number>;
  /** The rows of a text with `$1` for its values. For texts that a library makes. */
  $queryRawUnsafe<Rows = unknown>(text: string, ...values: readonly unknown[]): Promise<Rows>;
}

export interface TransactionBounds {
  /** How long it may take before it is rolled back, in ms. Default 5,000. */
  readonly timeoutMs?: number;
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

type Query = TemplateStringsArray | Sql;
type NameOf = ((text: string) => string) | undefined;

/** Types that `pg` reads as text, or as a time of the zone that the process is in. */
const readers: Readonly<Record<number, (text: string) => unknown>> = {
  [types.builtins.INT8]: BigInt,
  [types.builtins.TIMESTAMP]: (text) => new Date(`${text.replace(' ', 'T')}Z`),
  [types.builtins.DATE]: (text) => new Date(text),
};

const asRead = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : readers[type]) ?? types.getTypeParser(type, format),
};

/** @param nameOf a name for the text of each statement, under which a connection prepares it; undefined to prepare none */
export function runnerOn(client: Pool | PoolClient, nameOf?: NameOf): SqlRunner {
  const run = async ({ text, values }: Statement): Promise<QueryResult> =>
    client.query({ ...(nameOf && { name: nameOf(text) }), text, values: values.map(bound), types: asRead });
  return {
    $queryRaw: async <Rows>(query: Query, ...values: readonly unknown[]) => rowsOf<Rows>(await run(statementOf(query, values))),
    $executeRaw: async (query, ...values) => (await run(statementOf(query, values))).rowCount ?? 0,
    $queryRawUnsafe: async <Rows>(text: string, ...values: readonly unknown[]) => rowsOf<Rows>(await run({ text, values })),
  };
}

/**
 * Commits what this did, or rolls it back where it throws or takes too long.
 * @throws TransactionTimeout in the second case
 */
export async function transactionOn<Result>(
  pool: Pool,
  work: (runner: SqlRunner) => Promise<Result>,
  { nameOf, timeoutMs = 5_000 }: TransactionBounds & { readonly nameOf?: NameOf },
): Promise<Result> {
  const client = await pool.connect();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    // Postgres rolls back what a closed connection began, and whoever still works on it is told by the next statement.
    client.release(true);
  }, timeoutMs);
  try {
    await client.query('BEGIN');
    const result = await work(runnerOn(client, nameOf));
    await client.query('COMMIT');
    if (!isLate) client.release();
    return result;
  } catch (error) {
    if (isLate) throw new TransactionTimeout(timeoutMs, error);
    await client.query('ROLLBACK').then(
      () => client.release(),
      () => client.release(true),
    );
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

class TransactionTimeout extends Error {
  override readonly name = 'TimeoutError';

  constructor(timeoutMs: number, cause: unknown) {
    super(`a transaction took more than ${timeoutMs} ms and was rolled back`, { cause });
  }
}

/** The fields of a model that are lists. */
type ListsOf<Row> = { [Field in keyof Row]: Row[Field] extends readonly unknown[] ? Field : never }[keyof Row];

/**
 * Rows of a table, from `SELECT *`, as Prisma gives those of its model: `look_at` is `lookAt`.
 * @param empty each list of the model as `[]`, which Prisma gives where the column is null
 */
export async function modelRows<Row>(
  rows: Promise<readonly Readonly<Record<string, unknown>>[]>,
  ...[empty]: [ListsOf<Row>] extends [never] ? [] : [empty: Readonly<Record<ListsOf<Row>, readonly []>>]
): Promise<readonly Row[]> {
  const lists = new Set(Object.keys(empty ?? {}));
  const found = await rows;
  const columns = Object.keys(found[0] ?? {}).map((column) => [column, fieldOf(column)] as const);
  const named: unknown = found.map((row) => {
    const fields = columns.map(([column, field]) => [field, row[column]] as const);
    return { ...empty, ...Object.fromEntries(fields.filter(([field, value]) => value !== null || !lists.has(field))) };
  });
  return named as readonly Row[];
}

function fieldOf(column: string): string {
  return column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function statementOf(query: Query, values: readonly unknown[]): Statement {
  return query instanceof Sql ? query : sql(query, ...values);
}

/** The caller says what a statement gives: nothing here can know it. */
function rowsOf<Rows>({ rows }: QueryResult): Rows {
  const given: unknown = rows;
  return given as Rows;
}

/** A value as `pg` takes it: it would write a time in the zone that the process is in. */
function bound(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.map(bound) : value;
}
