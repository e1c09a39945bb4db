// The apps are the folders of dist/apps: the worker of a new domain is started without a change here.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSpec } from './managed-process.js';
import { root } from '#lib/command-line';

export const gateway = 'gateway';
/** The process that runs several workers, and its log. */
export const together = 'workers';

const preloads = ['--import', '#source-maps', '--import', '#telemetry'];

/** The apps that are built, the gateway first, then the workers by name. @param domains only the workers of these, if given */
export function appNames(domains?: readonly string[]): readonly string[] {
  const workers = readdirSync(join(root, 'dist/apps'))
    .filter((name) => name.endsWith('-worker') && (domains?.includes(domainOf(name)) ?? true))
    .sort();
  return [gateway, ...workers].filter((name) => existsSync(join(root, mainOf(name))));
}

/** The domain that a worker app runs. */
export function domainOf(worker: string): string {
  return worker.replace(/-worker$/, '');
}

export interface AppPlace {
  readonly port: number;
  readonly host: string;
  readonly logFile: string;
  readonly env: NodeJS.ProcessEnv;
}

export function appSpec(name: string, { port, host, logFile, env }: AppPlace): ProcessSpec {
  return {
    name,
    command: process.execPath,
    args: [...preloads, mainOf(name)],
    env,
    cwd: root,
    port,
    logFile,
    isNode: true,
    stopMs: 25_000,
    isReady: () => isReady(`http://${host}:${port}`),
  };
}

/** Workers in one process, which is ready when all of them are. */
export function togetherSpec(places: ReadonlyMap<string, AppPlace>): ProcessSpec {
  const all = [...places].map(([name, place]) => appSpec(name, place));
  const [first] = all;
  if (!first) throw new Error('no worker is named');
  return {
    ...first,
    name: together,
    args: [...preloads, join(root, 'dist/scripts/workers-together.js'), ...all.map(({ name, port }) => `${name}=${port}`)],
    env: { OTEL_SERVICE_NAME: together, ...first.env },
    isReady: async () => (await Promise.all(all.map(({ isReady }) => isReady()))).every(Boolean),
  };
}

function mainOf(name: string): string {
  return `dist/apps/${name}/src/main.js`;
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
