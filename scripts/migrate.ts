// Migrates the database of DATABASE_URL and ends: what a deployment runs before its apps. With APP_DATABASE_URL the role that is in it gets what the apps
// need, and DATABASE_URL is that of the owner of the schema.
import { CommandError, loadDotEnv, print, runWithoutArguments } from '#lib/command-line';
import { grantAppRole } from './provision/app-role.js';
import { checkPostgres } from './provision/given-stores.js';
import { migrate } from './provision/migrate.js';
import { reportUnclearIds } from './provision/unclear-ids.js';

const help = `Brings the schema of the database of DATABASE_URL up to date, and ends: what a deployment runs before its apps. With APP_DATABASE_URL the role
that is in it gets what the apps need, and DATABASE_URL is that of the owner of the schema.

  node dist/scripts/migrate.js
`;

await runWithoutArguments(help, async () => {
  loadDotEnv();
  const url = process.env['DATABASE_URL'];
  if (!url) throw new CommandError('DATABASE_URL is not set');
  await checkPostgres('DATABASE_URL', url);
  const applied = await migrate(url);
  const appUrl = process.env['APP_DATABASE_URL'];
  if (appUrl) print(`The apps connect as ${await grantAppRole(url, appUrl)}, which owns nothing.`);
  await reportUnclearIds(url);
  print(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
});
