// Generates the database client and builds. Each is skipped while its stamp holds the hash of the present sources.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** For browsers: built by Vite. */
const consoleFolder = 'apps/console';
const sourceFolders = ['apps', 'libs', 'scripts', 'bench', 'chaos', 'fuzz', 'security', 'world/suite', 'test'];

export function generateClient(root, node) {
  const generated = join(root, 'libs', 'platform', 'src', 'generated');
  const files = filesUnder(join(root, 'prisma', 'schema')).map((file) => [file.slice(root.length), readFileSync(file, 'utf8')]);
  const version = JSON.parse(readFileSync(join(root, 'node_modules', 'prisma', 'package.json'), 'utf8')).version;
  unlessUpToDate(join(generated, '.stamp'), [version, files], () => {
    console.error('generating the database client…');
    runTool(root, [node, 'node_modules/prisma/build/index.js', 'generate', '--schema', 'prisma/schema', '--no-hints'], {
      quiet: true,
      // No engine is downloaded: generating needs none, and the client's own is WebAssembly.
      env: { PRISMA_SCHEMA_ENGINE_BINARY: node, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
    });
  });
}

export function compile(root, node) {
  const dist = join(root, 'dist');
  const folders = sourceFolders.filter((folder) => existsSync(join(root, folder)));
  const sources = folders.flatMap((folder) => filesUnder(join(root, folder))).filter(isSource);
  const state = sources.map((file) => [file.slice(root.length), statSync(file).mtimeMs, statSync(file).size]);
  // The lock file counts too: apps are bundled with their packages.
  const settingFiles = [
    '.swcrc',
    'package-lock.json',
    'scripts/bootstrap/compile.mjs',
    'scripts/bootstrap/bundle.mjs',
    'scripts/bootstrap/bundling.mjs',
    'scripts/bootstrap/loaded-at-once.mjs',
  ];
  const settings = settingFiles.map((file) => readFileSync(join(root, file), 'utf8'));
  unlessUpToDate(join(dist, '.stamp'), [settings, state], () => {
    console.error('building…');
    const filled = folders.filter((folder) => sources.some((file) => file.startsWith(join(root, folder))));
    runTool(
      root,
      [
        node,
        'node_modules/@swc/cli/bin/swc.js',
        ...filled,
        '-d',
        'dist',
        '--config-file',
        '.swcrc',
        '--extensions',
        '.ts',
        '--ignore',
        `**/*.test.ts,${consoleFolder}/**`,
        '--quiet',
      ],
      {},
    );
    removeStale(root, dist, sources);
    runTool(root, [node, 'scripts/bootstrap/bundle.mjs'], {});
  });
}

/** The console's files, for the gateway to serve. */
export function buildConsole(root, node) {
  const built = join(root, 'dist', 'console');
  const files = [consoleFolder, 'libs/client/src'].flatMap((folder) => filesUnder(join(root, folder)));
  const sources = files.filter((file) => !file.endsWith('.test.ts')).concat(join(root, 'package-lock.json'));
  unlessUpToDate(
    join(built, '.stamp'),
    sources.map((file) => [file.slice(root.length), readFileSync(file, 'utf8')]),
    () => {
      console.error('building the console…');
      runTool(root, [node, 'node_modules/vite/bin/vite.js', 'build', '--config', `${consoleFolder}/vite.config.mjs`], { quiet: true });
    },
  );
}

/** Removes what was built from a source that has been deleted: it could still be loaded. */
function removeStale(root, dist, sources) {
  const wanted = new Set(sources.map((file) => file.slice(root.length).replace(/\.ts$/, '.js')));
  for (const file of filesUnder(dist)) {
    if (['console', 'docs'].some((folder) => file.startsWith(join(dist, folder, '/')))) continue;
    const built = file.slice(dist.length).replace(/\.map$/, '');
    if (/\.m?js$/.test(built) && !wanted.has(built)) rmSync(file);
  }
}

function isSource(file) {
  return file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.endsWith('.test.ts') && !file.includes(`/${consoleFolder}/`);
}

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function unlessUpToDate(stamp, inputs, work) {
  const hash = createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  rmSync(stamp, { force: true });
  work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}

function runTool(root, [program, ...args], { env = {}, quiet = false }) {
  const result = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', quiet ? 'pipe' : 2, 'pipe'],
    encoding: 'utf8',
  });
  if (result.status === 0) return;
  console.error([result.stdout, result.stderr].filter(Boolean).join('\n'));
  throw Object.assign(new Error(`${args[0]} failed with ${result.signal ?? `code ${result.status}`}; its output is above`), {
    expected: true,
  });
}
