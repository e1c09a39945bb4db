// Applies prisma/migrations and records them in Prisma's own table, so that its tools agree. Each migration and its record are one
// transaction: a process that is killed leaves nothing half done.
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, DatabaseError } from 'pg';
import { CommandError, printError, root } from '#lib/command-line';

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Any number that no other program uses for a lock in this database. */
const lockNumber = 7_214_053;

const historyTable = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL, logs TEXT,
    rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

/** Brings the database to the newest schema; returns the names of the migrations it applied. Safe to call from several at once. */
export async function migrate(url: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await inExclusiveTransaction(client, () => client.query(historyTable));
    const applied: string[] = [];
    for (const migration of readMigrations()) if (await apply(client, migration)) applied.push(migration.name);
    return applied;
  } finally {
    await client.end();
  }
}

/** The names of the migrations that the database lacks. Changes nothing. */
export async function pendingMigrations(url: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows: tables } = await client.query(`SELECT 1 WHERE to_regclass('_prisma_migrations') IS NOT NULL`);
    const { rows } =
      tables.length === 0
        ? { rows: [] }
        : await client.query<{ name: string }>(
            'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
          );
    const applied = new Set(rows.map(({ name }) => name));
    return readMigrations().flatMap(({ name }) => (applied.has(name) ? [] : [name]));
  } finally {
    await client.end();
  }
}

async function apply(client: Client, { name, sql, checksum }: Migration): Promise<boolean> {
  return inExclusiveTransaction(client, async () => {
    const { rows } = await client.query<{ checksum: string }>(
      'SELECT checksum FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NOT NULL AND rolled_back_at IS NULL',
      [name],
    );
    const [entry] = rows;
    if (entry) {
      if (entry.checksum !== checksum)
        printError(`warning: migration ${name} was changed after it was applied to this database, which does not have the change`);
      return false;
    }
    await client.query(sql).catch((error: unknown) => {
      throw new CommandError(
        `migration ${name} failed and was undone${lineOf(sql, error)}: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    });
    await client.query(
      'INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)',
      [randomUUID(), checksum, name],
    );
    return true;
  });
}

/** Runs the work in a transaction, while no other migration of this database runs. */
async function inExclusiveTransaction<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** All migrations of this version, the oldest first. */
export function readMigrations(): readonly Migration[] {
  const dir = join(root, 'prisma/migrations');
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, sql: readFileSync(join(dir, name, 'migration.sql'), 'utf8') }))
    .map(({ name, sql }) => ({ name, sql, checksum: createHash('sha256').update(sql).digest('hex') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function lineOf(sql: string, error: unknown): string {
  const position = error instanceof DatabaseError ? Number(error.position) : NaN;
  return position > 0 ? ` at line ${sql.slice(0, position).split('\n').length}` : '';
}
