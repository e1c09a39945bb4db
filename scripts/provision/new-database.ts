// To create an embedded database takes seconds, to copy one an instant: in a clone, whose tests create many, an empty one is kept as a
// template.
import { PGlite } from '@electric-sql/pglite';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isClone, root } from '#lib/command-line';

/** Creates an empty database where there is none: all of it or nothing, however this process ends. */
export async function createDatabase(folder: string): Promise<void> {
  if (isDatabase(folder)) return;
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  if (isClone) cpSync(await template(), unfinished, { recursive: true });
  else await createEmpty(unfinished);
  renameSync(unfinished, folder);
}

async function createEmpty(folder: string): Promise<void> {
  const database = await PGlite.create(folder);
  await database.close();
}

async function template(): Promise<string> {
  const folder = templateFolder();
  if (isDatabase(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  await createEmpty(unfinished);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process has created it meanwhile.
    if (!isDatabase(folder)) throw error;
  }
  return folder;
}

/** A folder for this version of PGlite: another version may have another format. */
function templateFolder(): string {
  const version = createHash('sha256')
    .update(readFileSync(join(root, 'node_modules/@electric-sql/pglite/package.json')))
    .digest('hex');
  return join(root, 'node_modules/.cache/invoq', `postgres-${version.slice(0, 12)}`);
}

function isDatabase(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'));
}
