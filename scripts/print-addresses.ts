import { relative } from 'node:path';
import type { LocalRun } from './local-run.js';
import { print } from '#lib/command-line';

/** Prints the addresses, keys and files of a local run, and a first call. */
export function printAddresses({ url, keys, stores, workers, dataDir }: LocalRun, took: string): void {
  const at = (file: string): string => relative(process.cwd(), dataDir.file(file)) || dataDir.file(file);
  print(`
Invoq is ready after ${took}.

  Gateway       ${url}
  Tools         ${url}/tools
  Admin key     ${keys.admin}
  User key      ${keys.user}
  Workers       ${[...workers].map(([name, address]) => `${name} (${address}/readyz)`).join(', ') || 'none'}
  Redis         ${withoutPassword(stores.redisUrl)}
  Postgres      ${withoutPassword(stores.databaseUrl)}
  Variables     ${at('dev.env')}
  Logs          ${at('logs')}/<process>.log

A first call:

  curl -s ${url}/tools/calc_metrics -H 'Authorization: Bearer ${keys.user}' -H 'Content-Type: application/json' \\
    -d '{"height_cm":175,"weight_kg":70,"age":30,"gender":"male","activity_level":"moderate"}'

Ctrl-C stops everything; the data stays.
`);
}

function withoutPassword(text: string): string {
  const url = new URL(text);
  url.password = '';
  return url.href;
}
