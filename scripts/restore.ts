// `npm run restore -- <backup>`: into an empty database and an empty folder of files.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { callerFolder, CommandError, loadDotEnv, print, runScript, step, UsageError } from '#lib/command-line';
import { runPostgresTool, runTool } from './backups/postgres-tools.js';
import { grantAppRole } from './provision/app-role.js';
import { checkPostgres } from './provision/given-stores.js';
import { migrate } from './provision/migrate.js';

const help = `Restores what npm run backup (or the service backup of compose) wrote, and migrates it to this version.

  npm run restore -- <folder of backups>/<time>

DATABASE_URL names an empty database and FILES_DIR an empty folder, so that nothing can be overwritten. APP_DATABASE_URL, where the apps connect
as a role that owns nothing, makes that role and its rights again. Start the product with the same SEALING_KEYS as before, and with an empty Redis.
`;

await runScript(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('name one backup');
  loadDotEnv();
  const backup = resolve(callerFolder(), folder);
  const [dump, archive] = [join(backup, 'database.dump'), join(backup, 'files.tar')];
  if (!existsSync(dump)) throw new CommandError(`${backup} is no backup: it has no database.dump`);
  const { DATABASE_URL: url, FILES_DIR: files } = process.env;
  if (!url) throw new CommandError('DATABASE_URL is not set: name an empty database');
  await checkPostgres('DATABASE_URL', url);
  const tables = await countTables(url);
  if (tables > 0)
    throw new CommandError(`the database of DATABASE_URL has ${tables} tables. Create an empty one (createdb) and name that.`);
  const hasFiles = existsSync(archive);
  if (hasFiles && !files) throw new CommandError('FILES_DIR is not set, and the backup has files: name an empty folder');
  if (files && existsSync(files) && readdirSync(files).length > 0) throw new CommandError(`FILES_DIR names ${files}, which is not empty`);

  // Roles are the server's, not the database's: who restores owns everything, and grants are made again by hand.
  const args = ['--no-owner', '--no-acl', '--exit-on-error', '--single-transaction', `--dbname=${databaseOf(url)}`, dump];
  const folderOfFiles = hasFiles ? files : undefined;
  try {
    // The database last: what it does not take whole it does not take.
    if (folderOfFiles) {
      mkdirSync(folderOfFiles, { recursive: true });
      await step('Files', async () => runTool('tar', ['-xf', archive, '-C', folderOfFiles]));
    }
    await step('Database', async () => runPostgresTool('pg_restore', args, url));
  } catch (error) {
    // It was empty. A better copy can be restored to the same place.
    if (folderOfFiles) for (const name of readdirSync(folderOfFiles)) rmSync(join(folderOfFiles, name), { recursive: true });
    throw error;
  }
  const applied = await migrate(url);
  const appUrl = process.env['APP_DATABASE_URL'];
  if (appUrl) print(`The apps connect as ${await grantAppRole(url, appUrl)}, which owns nothing.`);
  print(applied.length === 0 ? 'Restored.' : `Restored, and migrated: ${applied.join(', ')}.`);
}, help);

async function countTables(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

function databaseOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}
