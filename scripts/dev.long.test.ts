// `npm run dev` in a copy of the project, whose sources are edited as editors edit them.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempDisposableSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { root } from '#lib/command-line';
import { eventually, HttpCaller } from '#lib/testing';
import { DataDir } from './provision/data-dir.js';
import { pickPort } from './provision/ports.js';

const timeoutMs = 180_000;
const { REDIS_URL: _redis, DATABASE_URL: _database, NODE_ENV: _mode, ...clean } = process.env;
const project = mkdtempDisposableSync(join(tmpdir(), 'invoq-dev-'));
const dataDir = new DataDir(join(project.path, '.data'));
const handler = join(project.path, 'apps/profile-worker/src/tools/calc-metrics.ts');
const original = readFileSync(join(root, 'apps/profile-worker/src/tools/calc-metrics.ts'), 'utf8');
const figures = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
/** The tool is cached, and its version has not changed. */
const uncached = { 'cache-control': 'no-cache' };
let output = '';
let ended: Promise<unknown>;
let stop: () => void;

/** As vim, JetBrains and git do: another file takes the place of the old one. */
function save(text: string): void {
  writeFileSync(`${handler}~`, text);
  renameSync(`${handler}~`, handler);
}

const message = async () =>
  (await new HttpCaller(written('INVOQ_URL'), written('INVOQ_API_KEY')).post('/aurawell/calc_metrics', figures, uncached)).text;
const written = (name: string) => dataDir.readEnv('dev.env')[name] ?? '';
const told = (text: RegExp, times = 1) =>
  eventually(() => (output.match(new RegExp(text, 'g')) ?? []).length >= times, { withinMs: 100_000, what: String(text) }).catch(
    (error: unknown) => {
      throw new Error(`It printed:\n${output}`, { cause: error });
    },
  );

beforeAll(async () => {
  // With what was built, so that nothing is built again before the first change.
  const parts = readdirSync(root).filter((part) => !['node_modules', '.data', '.git'].includes(part));
  execFileSync('cp', ['-a', ...parts.map((part) => join(root, part)), project.path]);
  symlinkSync(join(root, 'node_modules'), join(project.path, 'node_modules'));
  // Types are checked after each change. Those of the whole product take both processors for ten seconds, and no test here waits for them.
  const tsconfig = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  writeFileSync(join(project.path, 'tsconfig.json'), JSON.stringify({ ...tsconfig, include: ['libs/command-line/src'] }));
  const env = { ...clean, INVOQ_DATA_DIR: dataDir.path, DOMAINS: 'profile', PORT: String(await pickPort()) };
  const npm = spawn('npm', ['run', 'dev'], { cwd: project.path, env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (text) => (output += String(text)));
  ended = new Promise((resolve) => npm.once('close', resolve));
  stop = () => npm.kill('SIGTERM');
  await told(/Watching/);
}, timeoutMs);

afterAll(async () => {
  stop();
  await ended;
  project[Symbol.dispose]();
}, timeoutMs);

test(
  'every save is followed, also the second one of the same file, and restarts its worker alone',
  async () => {
    for (const [index, words] of ['first words', 'second words', 'third words'].entries()) {
      save(original.replace('cut-offs.', words));
      await told(/profile-worker runs the change/, index + 1);
      expect(await message()).toContain(words);
    }
    expect(output).not.toMatch(/gateway.* runs? the change/);
  },
  timeoutMs,
);

test(
  'a file that cannot be read as TypeScript is told with its line, and the worker stays as it is',
  async () => {
    save(original.replace('return metrics', 'return = metrics'));
    await told(/calc-metrics\.ts:\d+:\d+/);
    expect(await message()).toContain('third words');
  },
  timeoutMs,
);

test(
  'a worker that cannot start is told with its last lines, and starts at once when that is mended',
  async () => {
    save(`throw new Error('planted in the module');\n${original}`);
    await told(/profile-worker ended while starting[^]*planted in the module/);
    const before = output.match(/runs the change/g)?.length ?? 0;
    save(original);
    await told(/profile-worker runs the change/, before + 1);
    expect(await message()).toContain('cut-offs.');
  },
  timeoutMs,
);
