import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadEnvFile } from 'node:process';
import { parseEnv } from 'node:util';
import { root } from './root.js';

/** Reads `.env` where there is one; what the shell already set wins. */
export function loadDotEnv(): void {
  const file = join(root, '.env');
  if (existsSync(file)) loadEnvFile(file);
}

/** A setting by the environment, else as `npm start` wrote it on this machine; undefined where neither has it. */
export function settingOf(name: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment[name] || writtenByStart(environment)[name];
}

/** Where `npm start` writes what leads to it. */
export function startFile({ INVOQ_DATA_DIR: folder }: NodeJS.ProcessEnv = process.env): string {
  return join(resolve(root, folder || '.data'), 'dev.env');
}

function writtenByStart(environment: NodeJS.ProcessEnv): NodeJS.Dict<string> {
  const file = startFile(environment);
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}
