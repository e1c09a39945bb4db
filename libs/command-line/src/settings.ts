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

interface GatewayAddress {
  readonly url: string | undefined;
  readonly userKey: string | undefined;
  readonly adminKey: string | undefined;
}

/**
 * The gateway of INVOQ_URL with INVOQ_API_KEY and INVOQ_ADMIN_KEY. An address and keys belong together: the keys that `npm start`
 * wrote are never sent to another gateway than the one that it started.
 */
export function gatewayAddress(environment: NodeJS.ProcessEnv = process.env): GatewayAddress {
  const { INVOQ_URL: url, INVOQ_API_KEY: userKey, INVOQ_ADMIN_KEY: adminKey } = environment;
  if (url) return { url, userKey, adminKey };
  const written = readDevEnv(environment);
  // A key of the environment comes first, also before a written one of an administrator.
  return {
    url: written['INVOQ_URL'],
    userKey: userKey || written['INVOQ_API_KEY'],
    adminKey: adminKey || userKey || written['INVOQ_ADMIN_KEY'],
  };
}

/** The folder in which the user typed the command: npm runs its scripts in the root, and keeps the folder in INIT_CWD. */
export function callerFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return environment['INIT_CWD'] || process.cwd();
}

/** Where `npm start` writes the addresses and keys of its run. INVOQ_DATA_DIR moves it. */
function devEnvFile({ INVOQ_DATA_DIR: folder }: NodeJS.ProcessEnv): string {
  return join(resolve(root, folder || '.data'), 'dev.env');
}

function readDevEnv(environment: NodeJS.ProcessEnv): NodeJS.Dict<string> {
  const file = devEnvFile(environment);
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}
