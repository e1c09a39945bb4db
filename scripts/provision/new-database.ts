// To create an embedded database takes seconds, to copy one an instant: an empty one is kept as a template.
import { PGlite } from '@electric-sql/pglite';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '#lib/command-line';

/** Creates an empty database where there is none: all of it or nothing, however this process ends. */
export async function createDatabase(folder: string): Promise<void> {
  if (isDatabase(folder)) return;
  const template = templateFolder();
  if (!isDatabase(template)) await createTemplate(template);
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(template, unfinished, { recursive: true });
  renameSync(unfinished, folder);
}

async function createTemplate(template: string): Promise<void> {
  const unfinished = `${template}.${process.pid}`;
  mkdirSync(dirname(template), { recursive: true });
  const database = await PGlite.create(unfinished);
  await database.close();
  try {
    renameSync(unfinished, template);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process has created it meanwhile.
    if (!isDatabase(template)) throw error;
  }
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
