import { relative } from 'node:path';
import type { LocalRun } from './local-run.js';
import { callerFolder, print } from '#lib/command-line';

/** Prints the addresses, keys and files of a local run, and a first call. */
export function printAddresses(run: LocalRun, took: string, ticket: string): void {
  const { url, keys, stores, workers, dataDir } = run;
  const at = (file: string): string => relative(callerFolder(), dataDir.file(file)) || dataDir.file(file);
  print(`
Invoq is ready after ${took}.

  Console       ${url}/console#ticket=${ticket}
                (signs in by itself, once, for a minute; later with the admin key)
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

${firstCall(run)}

Ctrl-C or ${dataDir.stopCommand} stops everything; the data stays.
`);
}

/** Of a tool where it is served, else of the list. */
function firstCall({ url, keys, workers }: LocalRun): string {
  const curl = (path: string) => `  curl -s ${url}/${path} -H 'Authorization: Bearer ${keys.user}'`;
  if (!workers.has('profile-worker')) return curl('tools');
  return `${curl('tools/calc_metrics')} -H 'Content-Type: application/json' \\
    -d '{"height_cm":175,"weight_kg":70,"age":30,"gender":"male","activity_level":"moderate"}'`;
}

function withoutPassword(text: string): string {
  // Several servers may be named, comma-separated.
  return text.replaceAll(/:\/\/([^/:@]*):[^/]*@/g, (_, user: string) => `://${user && `${user}@`}`);
}
