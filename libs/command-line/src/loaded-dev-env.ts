// `dev.env` is made to be loaded into a shell. From there its stores would reach every later start as settings: that of another project, and of
// the same one when its private stores are stopped. So the file says by a variable of its own which values are its own.
import { hash } from 'node:crypto';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What a start reads from its environment and writes to `dev.env`. */
const stores = ['REDIS_URL', 'REDIS_MODE', 'REDIS_SENTINEL_NAME', 'REDIS_SENTINEL_PASSWORD', 'DATABASE_URL'] as const;
const marker = 'INVOQ_DEV_ENV';

/** The line of `dev.env` that says whose values its stores are. @param file its path @param values its variables */
export function devEnvMark(file: string, values: NodeJS.Dict<string>): string {
  // In double quotes a shell reads `$`; everything else that it would read is encoded.
  return `${marker}="${pathToFileURL(file).href.replaceAll('$', '%24')}#${digestOf(values)}"`;
}

/**
 * Removes the stores from the environment that a loaded `dev.env` has put there. Those that were set since then stay.
 * @returns the path of that file; null when nothing was removed
 */
export function forgetLoadedStores(environment: NodeJS.ProcessEnv = process.env): string | null {
  const url = URL.parse(environment[marker] ?? '');
  delete environment[marker];
  if (url?.protocol !== 'file:' || url.hash !== `#${digestOf(environment)}`) return null;
  for (const name of stores) delete environment[name];
  url.hash = '';
  return fileURLToPath(url);
}

function digestOf(values: NodeJS.Dict<string>): string {
  return hash('sha256', JSON.stringify(stores.map((name) => values[name] ?? '')), 'hex').slice(0, 16);
}
