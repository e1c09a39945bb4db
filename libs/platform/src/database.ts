import { hash } from 'node:crypto';
import type { Prisma, PrismaClient } from './generated/prisma/client.js';
import { createPool, type PoolOptions } from './pool.js';
import { runnerOn, transactionOn, type SqlRunner, type TransactionBounds } from './sql-runner.js';

type Models = Pick<PrismaClient, Uncapitalize<Prisma.ModelName>>;

/**
 * The database of a process. SQL goes to the driver as it is. Models are Prisma's, whose client is loaded when the first of them is used: a
 * process that starts, rests and calls its tools by SQL does without it (decision 123). A query of a model begins at once, as a promise does.
 */
export interface Database extends SqlRunner, Models {
  /** Runs this in one transaction, in SQL alone. */
  $sqlTransaction<Result>(work: (runner: SqlRunner) => Promise<Result>, bounds?: TransactionBounds): Promise<Result>;
  /** Runs this in one transaction, with models. */
  $transaction<Result>(work: (transaction: Prisma.TransactionClient) => Promise<Result>, bounds?: TransactionBounds): Promise<Result>;
  $disconnect(): Promise<void>;
}

export interface DatabaseOptions extends PoolOptions {
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
export function createDatabase({ prepared: asked = false, ...options }: DatabaseOptions): Database {
  const prepared = asked && !isPooled(options.url);
  const nameOf = prepared ? statementName : undefined;
  const pool = createPool(options, prepared ? shortStatements : undefined);
  let opening: Promise<PrismaClient> | null = null;
  const models = async (): Promise<PrismaClient> => (opening ??= import('./models.js').then(({ openModels }) => openModels(pool, nameOf)));
  const own = {
    ...runnerOn(pool, nameOf),
    $sqlTransaction: async <Result>(work: (runner: SqlRunner) => Promise<Result>, bounds?: TransactionBounds): Promise<Result> =>
      transactionOn(pool, work, { nameOf, ...bounds }),
    $transaction: async <Result>(
      work: (transaction: Prisma.TransactionClient) => Promise<Result>,
      { timeoutMs = 5_000 }: TransactionBounds = {},
    ): Promise<Result> => (await models()).$transaction(work, { timeout: timeoutMs, maxWait: timeoutMs }),
    $disconnect: async (): Promise<void> => {
      await (await opening)?.$disconnect();
      await pool.end();
    },
  };
  // The names of the models are types: nothing at run time knows them before Prisma's client is there.
  return new Proxy(own, { get: (known, name) => Reflect.get(known, name) ?? modelOf(models, name) }) as typeof own & Models;
}

/** A model whose queries wait until Prisma's client is there. A database is no promise, so it may be awaited. */
function modelOf(models: () => Promise<PrismaClient>, model: string | symbol): unknown {
  if (typeof model === 'symbol' || model === 'then') return undefined;
  return new Proxy(
    {},
    {
      get: (_, query) => async (asked: unknown) => {
        const delegate: object = Reflect.get(await models(), model);
        return Reflect.apply(Reflect.get(delegate, query), delegate, [asked]);
      },
    },
  );
}

function isPooled(url: string): boolean {
  return new URL(url).searchParams.get('pgbouncer') === 'true';
}
