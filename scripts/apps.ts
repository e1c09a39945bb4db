// The apps are the folders of apps/: the worker of a new domain is started without a change here.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSpec } from './managed-process.js';
import { root } from '#lib/command-line';

export const gateway = 'gateway';

/** The apps that are built, the gateway first, then the workers by name. */
export function appNames(): readonly string[] {
  const workers = readdirSync(join(root, 'apps'))
    .filter((name) => name.endsWith('-worker'))
    .sort();
  return [gateway, ...workers].filter((name) => existsSync(join(root, mainOf(name))));
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
    args: ['--import', '#source-maps', '--import', '#telemetry', mainOf(name)],
    env,
    cwd: root,
    port,
    logFile,
    isNode: true,
    stopMs: 25_000,
    isReady: () => isReady(`http://${host}:${port}`),
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
