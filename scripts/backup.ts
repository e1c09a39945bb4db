// `npm run backup -- <folder>`: the database and the files, once. In compose ops/backup.sh writes the same every day.
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { callerFolder, CommandError, loadDotEnv, print, runScript, step, UsageError } from '#lib/command-line';
import { runPostgresTool, runTool } from './backups/postgres-tools.js';
import { checkPostgres } from './provision/given-stores.js';

const help = `Backs up the database of DATABASE_URL and the files of FILES_DIR, while the product runs.

  npm run backup -- <folder>

A backup is <folder>/<time>, with database.dump and files.tar. npm run restore reads it. Not in it: SEALING_KEYS, which open what is
sealed in the database; Redis, which holds the calls of a day; a bucket of FILES_S3_BUCKET. The embedded stores of npm start are backed
up by copying .data after npm stop.
`;

await runScript(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('name one folder');
  loadDotEnv();
  const { DATABASE_URL: url, FILES_DIR: files } = process.env;
  if (!url) throw new CommandError('DATABASE_URL is not set. For the embedded stores of npm start: npm stop, and copy .data');
  if (files !== undefined && !existsSync(files)) throw new CommandError(`FILES_DIR names ${files}, which is not there`);
  await checkPostgres('DATABASE_URL', url);

  const time = `${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const backup = join(resolve(callerFolder(), folder), time);
  // It has its name once it is complete. What is in it is as secret as the database.
  const part = join(resolve(callerFolder(), folder), `.${time}`);
  mkdirSync(part, { recursive: true, mode: 0o700 });
  try {
    const dump = join(part, 'database.dump');
    // Like those in Redis, calls at rest would run again that have run since.
    const kept = ['--format=custom', '--exclude-table-data=*.moved_call', `--file=${dump}`];
    await step('Database', async () => runPostgresTool('pg_dump', kept, url));
    // After the database: a file without its row is swept one day, a row without its file is a fault.
    if (files !== undefined)
      await step('Files', async () =>
        // It ends with 1 when a file was written or removed meanwhile: the product runs.
        runTool('tar', ['--warning=no-file-changed', '--warning=no-file-removed', '-cf', join(part, 'files.tar'), '-C', files, '.'], {
          mayEndWith: 1,
        }),
      );
    renameSync(part, backup);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
  print(
    `${backup}: database ${megabytes(join(backup, 'database.dump'))}${files === undefined ? '; no FILES_DIR, so no files' : `, files ${megabytes(join(backup, 'files.tar'))}`}`,
  );
}, help);

function megabytes(file: string): string {
  return `${(statSync(file).size / 1e6).toFixed(1)} MB`;
}
