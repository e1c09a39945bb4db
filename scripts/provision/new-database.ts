// Making an embedded database takes seconds, copying one a moment: the first is kept as a pattern for those of the tests.
import { PGlite } from '@electric-sql/pglite';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '#lib/command-line';

/** Puts an empty database where none is; whole or not at all, however this process ends. */
export async function makeDatabase(place: string): Promise<void> {
  if (isDatabase(place)) return;
  const pattern = patternFolder();
  if (!isDatabase(pattern)) await makePattern(pattern);
  const unfinished = `${place}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(pattern, unfinished, { recursive: true });
  renameSync(unfinished, place);
}

async function makePattern(pattern: string): Promise<void> {
  const unfinished = `${pattern}.${process.pid}`;
  mkdirSync(dirname(pattern), { recursive: true });
  const database = await PGlite.create(unfinished);
  await database.close();
  try {
    renameSync(unfinished, pattern);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process was quicker with the same.
    if (!isDatabase(pattern)) throw error;
  }
}

/** Of this one version of PGlite: another may have another format. */
function patternFolder(): string {
  const version = createHash('sha256')
    .update(readFileSync(join(root, 'node_modules/@electric-sql/pglite/package.json')))
    .digest('hex');
  return join(root, 'node_modules/.cache/invoq', `postgres-${version.slice(0, 12)}`);
}

function isDatabase(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'));
}
