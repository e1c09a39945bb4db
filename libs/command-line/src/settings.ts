// Settings of commands: the environment first, then what `npm start` wrote on this machine.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadEnvFile } from 'node:process';
import { parseEnv } from 'node:util';
import { UsageError } from './errors.js';
import { root, startCommand } from './root.js';

/** Loads `.env` of the repository, if there is one. Variables that are already set win. */
export function loadDotEnv(): void {
  const file = join(root, '.env');
  if (existsSync(file)) loadEnvFile(file);
}

/** A setting from the environment, else from `dev.env`; undefined where neither has it. An empty value counts as absent. */
export function settingOf(name: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment[name] || readDevEnv(environment)[name];
}

/** What an option of the command line says, in place of the environment. */
export function useSetting(name: string, value: string | undefined): void {
  if (value !== undefined) process.env[name] = value;
}

/** The Postgres of DATABASE_URL, else the one of `npm start`. Throws UsageError. */
export function databaseUrl(environment: NodeJS.ProcessEnv = process.env): string {
  const url = settingOf('DATABASE_URL', environment);
  if (!url) {
    throw new UsageError(
      `No database is known: DATABASE_URL is not set and not in ${devEnvFile(environment)}. Run \`${startCommand}\` first, or set DATABASE_URL.`,
    );
  }
  if (!/^postgres(ql)?:\/\//.test(url)) throw new UsageError('DATABASE_URL must begin with postgresql:// or postgres://');
  return url;
}

/** The folder in which the user typed the command: npm runs its scripts in the root, and keeps the folder in INIT_CWD. */
export function callerFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return environment['INIT_CWD'] || process.cwd();
}

/** Where `npm start` writes the addresses and keys of its run. INVOQ_DATA_DIR moves it. */
function devEnvFile({ INVOQ_DATA_DIR: folder }: NodeJS.ProcessEnv): string {
  return join(resolve(root, folder || '.data'), 'dev.env');
}

/** What `npm start` wrote for this project; empty where it has not run. */
export function readDevEnv(environment: NodeJS.ProcessEnv): NodeJS.Dict<string> {
  const file = devEnvFile(environment);
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}
