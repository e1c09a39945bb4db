// `invoq deploy-check`: what is wrong with the settings of a deployment and with its stores. Nothing is changed.
import { servedDomains } from '#lib/contracts';
import { CommandError, loadDotEnv, print, printError, runScript } from '#lib/command-line';
import { redisSettings, settingFaults } from '#lib/platform';
import { allSettings, faultsOfApp } from './app-settings.js';
import { misspeltSettings } from './misspelt-settings.js';
import { appNames } from './apps.js';
import { checkPostgres, checkRedis, givenRedis } from './provision/given-stores.js';
import { pendingMigrations } from './provision/migrate.js';

await runScript(async () => {
  loadDotEnv();
  process.env['NODE_ENV'] ||= 'production';
  const names = appNames(servedDomains.safeParse(process.env['DOMAINS'] || undefined).data);
  const settings = names.flatMap((app) => faultsOfApp(app).map(({ name, message }) => ({ app, fault: `${name} ${message}` })));
  const apps = Map.groupBy(settings, ({ fault }) => fault);
  const faults = [...[...apps].map(([fault, where]) => `${fault} (${where.map(({ app }) => app).join(', ')})`), ...(await storeFaults())];
  for (const fault of faults) printError(`✗ ${fault}`);
  for (const warning of misspeltSettings(allSettings)) printError(`! ${warning}`);
  if (faults.length > 0) return 1;
  print(`✓ The settings of ${names.join(', ')} are right, and Redis and Postgres can be used.`);
  return 0;
});

/** What the settings do not name is a fault of theirs. */
async function storeFaults(): Promise<readonly string[]> {
  const { DATABASE_URL: database } = process.env;
  const isRedisRight = settingFaults(redisSettings).length === 0;
  const redis = isRedisRight && givenRedis();
  const results = await Promise.all([
    redis && faultOf(() => checkRedis('REDIS_URL', redis)),
    database && faultOf(() => checkDatabase(database)),
  ]);
  return results.flatMap((fault) => fault || []);
}

async function checkDatabase(url: string): Promise<void> {
  await checkPostgres('DATABASE_URL', url);
  const pending = await pendingMigrations(url);
  if (pending.length > 0)
    throw new CommandError(`DATABASE_URL: the schema lacks ${pending.join(', ')}. Run dist/scripts/migrate.js first.`);
}

async function faultOf(check: () => Promise<void>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
}
