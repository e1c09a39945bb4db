import { spawnSync } from 'node:child_process';
import { CommandError } from '#lib/command-line';
import { findProgram } from '../provision/redis-binary.js';

/**
 * Runs a client program of Postgres on the database of a URL. The password is in its environment: all users of a machine see arguments.
 * Throws CommandError with what it says.
 */
export function runPostgresTool(name: 'pg_dump' | 'pg_restore' | 'psql', args: readonly string[], databaseUrl: string): string {
  const program = findProgram(name);
  if (!program)
    throw new CommandError(`there is no ${name} here. Install the clients of your Postgres version (Debian: postgresql-client).`);
  return runTool(program, args, { env: connectionOf(databaseUrl) });
}

interface ToolOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** The highest exit code that is no failure; 0 when absent. */
  readonly mayEndWith?: number;
}

/** Throws CommandError with what it says. */
export function runTool(program: string, args: readonly string[], { env, mayEndWith = 0 }: ToolOptions = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw new CommandError(`${program}: ${error.message}`);
  if (status === null || status > mayEndWith) throw new CommandError(`${program} failed:\n${stderr.trim()}`);
  return stdout;
}

function connectionOf(databaseUrl: string): NodeJS.ProcessEnv {
  const { hostname, port, username, password, pathname, searchParams } = new URL(databaseUrl);
  return {
    PGHOST: hostname.replace(/^\[(.*)\]$/, '$1'),
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    ...(searchParams.has('sslmode') && { PGSSLMODE: searchParams.get('sslmode') ?? '' }),
  };
}
