import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import type { NewOutsideServer, OutsideQuery } from '#lib/client';
import { CommandError, settingOf, UsageError } from '#lib/command-line';

const query = z.looseObject({ name: z.string(), description: z.string(), sql: z.string() });
/** A list of queries, alone or as `queries`. The gateway looks at what each of them says. */
const file = z.union([z.array(query), z.object({ queries: z.array(query) }).transform(({ queries }) => queries)]);

interface DatabaseOptions {
  readonly file?: string | undefined;
  readonly database?: string | undefined;
}

/** Where a database is and what is asked of it; nothing for other kinds of servers. */
export async function databaseOf(
  kind: string | undefined,
  url: string | undefined,
  { file: path, database }: DatabaseOptions,
): Promise<Pick<NewOutsideServer, 'url' | 'queries'>> {
  if (kind !== 'sql') {
    if (path !== undefined || database !== undefined) throw new UsageError('--file and --database are for the kind sql: give --kind sql');
    return {};
  }
  // A login on a command line is seen by every user of the machine.
  if (url !== undefined) throw new UsageError('give the address of a database in a variable of the environment: --database VARIABLE');
  if (database === undefined || path === undefined) throw new UsageError('the kind sql needs --database VARIABLE and --file FILE');
  const address = settingOf(database);
  if (address === undefined) throw new UsageError(`--database: the variable ${database} is not set`);
  return { url: address, queries: await queriesIn(path) };
}

async function queriesIn(path: string): Promise<readonly OutsideQuery[]> {
  let given: unknown;
  try {
    // JSON is YAML.
    given = parse(await readFile(path, 'utf8'), { logLevel: 'error' });
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const read = file.safeParse(given);
  if (read.success) return read.data;
  throw new CommandError(`${path} must be a list of queries, each with name, description and sql`);
}
