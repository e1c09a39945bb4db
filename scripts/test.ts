// `npm test [-- jest arguments]`: all tests against real stores. TEST_REDIS_URL and TEST_DATABASE_URL name some that are there;
// otherwise private ones are started and removed afterwards.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { checkPostgres, checkRedis } from './provision/given-stores.js';
import { migrate } from './provision/migrate.js';
import { startPostgres, startRedis } from './provision/private-stores.js';
import { listenForStop, root, runScript, step } from '#lib/command-line';

await runScript(async () => {
  const stopping = new AbortController();
  listenForStop({ onStop: () => stopping.abort(), onSecondStop: () => process.exit(130) });
  const { TEST_REDIS_URL: givenRedis, TEST_DATABASE_URL: givenDatabase } = process.env;
  if (givenRedis) await checkRedis('TEST_REDIS_URL', { REDIS_URL: givenRedis });
  if (givenDatabase) await checkPostgres('TEST_DATABASE_URL', givenDatabase);
  await using redis = givenRedis ? null : await step('Redis for the tests', () => startRedis());
  await using postgres = givenDatabase ? null : await step('Postgres for the tests', () => startPostgres());
  const env = { REDIS_URL: redis?.url ?? givenRedis, DATABASE_URL: postgres?.url ?? givenDatabase };
  await step('Schema', () => migrate(env.DATABASE_URL ?? ''));
  if (stopping.signal.aborted) return 130;
  // Awaited here: the stores are taken down when this scope ends.
  return await runJest(env, stopping.signal);
});

async function runJest(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  const args = [
    '--experimental-vm-modules',
    '--no-warnings=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    ...process.argv.slice(2),
  ];
  // Systems under test are started some hundred times: V8 compiles their sources once.
  const testEnv = { NODE_COMPILE_CACHE: join(root, '.data', 'compile-cache'), ...process.env, NODE_ENV: 'test', ...env };
  const jest = spawn(process.execPath, args, { cwd: root, env: testEnv, stdio: 'inherit' });
  signal.addEventListener('abort', () => jest.kill('SIGTERM'));
  const [code] = await once(jest, 'exit');
  return typeof code === 'number' ? code : 130;
}
