// Migrates the database of DATABASE_URL and ends: what a deployment runs before its apps. With APP_DATABASE_URL the role that is in it gets what the apps
// need, and DATABASE_URL is that of the owner of the schema.
import { CommandError, loadDotEnv, print, runWithoutArguments } from '#lib/command-line';

const help = `Brings the schema of the database of DATABASE_URL up to date, and ends: what a deployment runs before its apps. With APP_DATABASE_URL the role
that is in it gets what the apps need, and DATABASE_URL is that of the owner of the schema.

  node dist/scripts/migrate.js
`;

await runWithoutArguments(help, async () => {
  loadDotEnv();
  const url = process.env['DATABASE_URL'];
  if (!url) throw new CommandError('DATABASE_URL is not set');
  // They load the drivers of stores: half a second of a processor, which the help does not need.
  const [{ grantAppRole }, { checkPostgres }, { migrate }, { reportUnclearIds }] = await Promise.all([
    import('./provision/app-role.js'),
    import('./provision/given-stores.js'),
    import('./provision/migrate.js'),
    import('./provision/unclear-ids.js'),
  ]);
  await checkPostgres('DATABASE_URL', url);
  const applied = await migrate(url);
  const appUrl = process.env['APP_DATABASE_URL'];
  if (appUrl) print(`The apps connect as ${await grantAppRole(url, appUrl)}, which owns nothing.`);
  await reportUnclearIds(url);
  print(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
});
