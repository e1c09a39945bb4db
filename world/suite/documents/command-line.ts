import { execFile } from 'node:child_process';
import { root } from '#lib/command-line';
import { must } from '#lib/testing';
import type { Place } from '../place.js';

interface Printed {
  readonly code: number;
  readonly text: string;
}

const withinMs = 240_000;
const mostPrinted = 16 * 1024 * 1024;

/** Runs a command for users against the place. */
export function invoq({ system, key, databaseUrl, redisUrl }: Place, ...args: readonly string[]): Promise<Printed> {
  const env = {
    PATH: process.env['PATH'],
    INVOQ_API_KEY: key,
    INVOQ_NAMESPACE: system.namespace,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
  };
  // The address of a product that was started in this clone comes before INVOQ_URL.
  const all = ['--import', '#source-maps', 'dist/apps/cli/src/main.js', '--url', system.gateway.url, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { cwd: root, env, timeout: withinMs, maxBuffer: mostPrinted }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, text: `${stdout}${stderr}` });
    });
  });
}

/** The same for one that must succeed. Gives what it printed. */
export async function done(place: Place, ...args: readonly string[]): Promise<string> {
  const { code, text } = await invoq(place, ...args);
  must(code === 0, `invoq ${args.join(' ')} ended with ${code}: ${text.slice(-600)}`);
  return text;
}
