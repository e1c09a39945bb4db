// To create an embedded database and its schema takes seconds, to copy one an instant: in a clone, whose tests create many, one with the
// present schema is kept as a template.
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isClone, root } from '#lib/command-line';
import { migrate, readMigrations } from './migrate.js';
import { removeOtherTemplates, templatePrefix } from './other-templates.js';
import { pickPort } from './ports.js';
import { postgresUrl } from './postgres.js';
import { WireMultiplexer } from './wire-multiplexer.js';

/** A quarter of Postgres' own: pages beyond it are in the file cache of the system. It saves 100 MB. */
const sharedBuffers = '32MB';

/** @param folder or `memory://` */
export function openDatabase(folder: string): Promise<PGlite> {
  const startParams = [...PGlite.defaultStartParams, '-c', `shared_buffers=${sharedBuffers}`];
  return PGlite.create(folder, { extensions: { vector, pg_trgm }, startParams });
}

/** Creates a database where there is none: all of it or nothing, however this process ends. It is empty, or has the present schema. */
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
  await createMigrated(unfinished);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process has created it meanwhile.
    if (!isDatabase(folder)) throw error;
  }
  removeOtherTemplates(folder);
  return folder;
}

async function createMigrated(folder: string): Promise<void> {
  const multiplexer = new WireMultiplexer(await openDatabase(folder));
  const port = await pickPort();
  await multiplexer.listen(port, '127.0.0.1');
  await migrate(postgresUrl(port));
  await multiplexer.close();
}

/** A folder for this version of PGlite, which may have a format of its own, and for these migrations. */
function templateFolder(): string {
  const inputs = [
    readFileSync(join(root, 'node_modules/@electric-sql/pglite/package.json'), 'utf8'),
    ...readMigrations().map(({ name, checksum }) => `${name} ${checksum}`),
  ];
  const version = createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
  return join(root, 'node_modules/.cache/invoq', `${templatePrefix}${version.slice(0, 12)}`);
}

function isDatabase(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'));
}
