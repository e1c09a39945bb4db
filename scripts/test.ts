// `npm test [-- jest arguments]`: tests against real stores. TEST_REDIS_URL and TEST_DATABASE_URL name some that are there; otherwise private
// ones are started and removed afterwards. Without arguments all run but the long ones and those that measure time, which `--long` runs.
// A run of either kind gives up to four failed files of slow tests a second run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { machineMemory } from './machine-memory.js';
import { checkPostgres, checkRedis } from './provision/given-stores.js';
import { memoryFolder } from './provision/memory-folder.js';
import { migrate } from './provision/migrate.js';
import { startPostgres, startRedis } from './provision/private-stores.js';
import { givenSeed, seedOfCommit } from './property-seed.js';
import { filesOfSecondRun, type FailedFile } from './second-run.js';
import { jestArguments } from './test-arguments.js';
import { listenForStop, print, root, runScript, step } from '#lib/command-line';

/**
 * Hundreds of files share the heap of a process of Jest, and their modules stay. To go through all of it again and again, also while tests wait, took
 * a seventh of the processor time of tests. A small machine has no memory for fewer collections.
 */
const heapMb = Math.min(800, Math.round(machineMemory() / 32e6));
const rareCollections = [`--initial-old-space-size=${heapMb}`, '--no-memory-reducer'];

const failedList = join(root, '.data', 'failed-tests.json');

await runScript(async () => {
  const stopping = new AbortController();
  listenForStop({ onStop: () => stopping.abort(), onSecondStop: () => process.exit(130) });
  const { TEST_REDIS_URL: givenRedis, TEST_DATABASE_URL: givenDatabase } = process.env;
  if (givenRedis) await checkRedis('TEST_REDIS_URL', { REDIS_URL: givenRedis });
  if (givenDatabase) await checkPostgres('TEST_DATABASE_URL', givenDatabase);
  using temporary = process.env['TMPDIR'] === undefined ? memoryFolder('invoq-tests') : null;
  if (temporary) process.env['TMPDIR'] = temporary.path;
  const { args, isWholeRun } = jestArguments(process.argv.slice(2));
  await using redis = givenRedis ? null : await step('Redis for the tests', () => startRedis());
  await using postgres = givenDatabase ? null : await step('Postgres for the tests', () => startPostgres({ isBusy: isWholeRun }));
  const stores = { REDIS_URL: redis?.url ?? givenRedis, DATABASE_URL: postgres?.url ?? givenDatabase };
  await step('Schema', () => migrate(stores.DATABASE_URL ?? ''));
  if (stopping.signal.aborted) return 130;
  rmSync(failedList, { force: true });
  const seed = givenSeed() ?? (isWholeRun ? seedOfCommit() : null);
  if (seed !== null) print(`Properties have the seed ${seed} (PROPERTY_SEED).`);
  const env = { ...stores, ...(seed !== null && { PROPERTY_SEED: String(seed) }) };
  // Awaited here: the stores are taken down when this scope ends.
  const code = await runJest(args, env, stopping.signal);
  const again = code === 0 || !isWholeRun || stopping.signal.aborted ? [] : filesOfSecondRun(failedFiles());
  if (again.length === 0) return code;
  print(`These failed beside others, and run once more alone:\n${again.map((file) => `  ${file}`).join('\n')}`);
  // They run in one process, and what one of them has left open must not keep it from ending.
  return await runJest(['--runInBand', '--forceExit', '--runTestsByPath', ...again], env, stopping.signal);
});

function failedFiles(): readonly FailedFile[] {
  return existsSync(failedList)
    ? z.array(z.object({ file: z.string(), seconds: z.number() })).parse(JSON.parse(readFileSync(failedList, 'utf8')))
    : [];
}

async function runJest(jestArgs: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  const args = [
    ...rareCollections,
    '--experimental-vm-modules',
    '--no-warnings=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    ...jestArgs,
  ];
  const testEnv = { ...process.env, NODE_ENV: 'test', FAILED_FILES: failedList, ...env };
  const jest = spawn(process.execPath, args, { cwd: root, env: testEnv, stdio: 'inherit' });
  signal.addEventListener('abort', () => jest.kill('SIGTERM'));
  const [code] = await once(jest, 'exit');
  return typeof code === 'number' ? code : 130;
}
