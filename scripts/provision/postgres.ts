import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import type { ProcessSpec } from '../managed-process.js';
import { root } from '#lib/command-line';
import type { StorePlace } from './redis.js';

/**
 * Postgres is compiled once, by the quick compiler. The optimising one takes six seconds of processor in the first minutes and 30 MB, and
 * the code that it makes needs a fifth less: see `isBusy`.
 */
const quickCompiler = '--liftoff-only';
/** The heap of JavaScript holds little but what passes through. */
const smallHeap = '--max-semi-space-size=1';

/** The embedded Postgres. `dir` may be `memory://`. */
export function postgresSpec({ dir, port, logFile, isBusy = false }: StorePlace): ProcessSpec {
  const flags = isBusy ? [smallHeap] : [smallHeap, quickCompiler];
  if (!dir.startsWith('memory:')) mkdirSync(dirname(dir), { recursive: true });
  return {
    name: 'postgres',
    command: process.execPath,
    args: [...flags, join(root, 'dist/scripts/provision/pglite-server.js'), dir, String(port)],
    cwd: root,
    port,
    logFile,
    isNode: true,
    stopMs: 15_000,
    isReady: () => answersQuery(postgresUrl(port)),
  };
}

export function postgresUrl(port: number): string {
  return `postgresql://postgres:postgres@127.0.0.1:${port}/postgres`;
}

export async function answersQuery(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
