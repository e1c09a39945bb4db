// Generates the database client and builds. Each is skipped while its stamp holds the hash of the present sources.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installConsolePackages, removeConsolePackages } from './console-packages.mjs';
import { installPackages } from './install.mjs';
import { consoleFolder, developmentFolders, filesUnder, isSource, productFolders } from './sources.mjs';

/** The client is kept with the sources: what generates it takes 230 MB, and only a changed schema needs it. */
export function generateClient(root, node) {
  const generated = join(root, 'libs', 'platform', 'src', 'generated');
  const files = filesUnder(join(root, 'prisma', 'schema')).map((file) => [file.slice(root.length), readFileSync(file, 'utf8')]);
  const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.prisma;
  unlessUpToDate(join(generated, '.stamp'), [version, files], () => {
    installPackages(root);
    console.error('generating the database client…');
    runTool(root, [node, 'node_modules/prisma/build/index.js', 'generate', '--schema', 'prisma/schema', '--no-hints'], {
      quiet: true,
      // No engine is downloaded: generating needs none, and the client's own is WebAssembly.
      env: { PRISMA_SCHEMA_ENGINE_BINARY: node, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
    });
  });
}

/** @param options `whole`: also what tries and measures the product, which needs the development packages */
export function compile(root, node, { whole }) {
  const readAt = new Date();
  const dist = join(root, 'dist');
  const stamp = join(dist, '.stamp');
  const folders = [...productFolders, ...(whole ? developmentFolders : [])].filter((folder) => existsSync(join(root, folder)));
  const sources = folders.flatMap((folder) => filesUnder(join(root, folder))).filter((file) => isSource(file.slice(root.length)));
  const state = sources.map((file) => [file.slice(root.length), statSync(file).mtimeMs, statSync(file).size]);
  // The lock file counts too: apps are bundled with their packages.
  const settingFiles = [
    '.swcrc',
    'package-lock.json',
    'scripts/bootstrap/compile.mjs',
    'scripts/bootstrap/transpile.mjs',
    'scripts/bootstrap/bundle.mjs',
    'scripts/bootstrap/bundling.mjs',
    'scripts/bootstrap/loaded-at-once.mjs',
  ];
  const settings = settingFiles.map((file) => readFileSync(join(root, file), 'utf8'));
  unlessUpToDate(stamp, [settings, state], () => {
    console.error('building…');
    runTool(root, [node, 'scripts/bootstrap/transpile.mjs', ...folders], {});
    removeStale(root, dist, sources);
    runTool(root, [node, 'scripts/bootstrap/bundle.mjs'], {});
  });
  // Without a build too: a folder is newer when a file in it has come and gone, and `npx invoq` looks at times alone.
  try {
    utimesSync(stamp, readAt, readAt);
  } catch {
    // Who may only read the files looks at all of them each time.
  }
}

/** The console's files, for the gateway to serve. @param options `keep`: its packages, when it is built */
export function buildConsole(root, node, { keep }) {
  unlessUpToDate(consoleStamp(root), consoleInputs(root), () => {
    installConsolePackages(root);
    console.error('building the console…');
    const vite = `${consoleFolder}/node_modules/vite/bin/vite.js`;
    runTool(root, [node, vite, 'build', '--config', `${consoleFolder}/vite.config.mjs`], { quiet: true });
    if (!keep) removeConsolePackages(root);
  });
}

/** Whether `buildConsole` has nothing to do. */
export function isConsoleBuilt(root) {
  return isUpToDate(consoleStamp(root), consoleInputs(root));
}

const consoleStamp = (root) => join(root, 'dist', 'console', '.stamp');

function consoleInputs(root) {
  const files = ['index.html', 'vite.config.mjs', 'tsconfig.json', 'packages/package-lock.json'].map((file) =>
    join(root, consoleFolder, file),
  );
  const sources = [`${consoleFolder}/src`, 'libs/client/src'].flatMap((folder) => filesUnder(join(root, folder)));
  const all = [...files, ...sources.filter((file) => !file.endsWith('.test.ts')), join(root, 'package-lock.json')];
  return all.map((file) => [file.slice(root.length), readFileSync(file, 'utf8')]);
}

/**
 * Removes what was built from a source that has been deleted: it could still be loaded. What apps share stays while the product runs, as in
 * another terminal: they load some of it when it is first used.
 */
function removeStale(root, dist, sources) {
  const runs = existsSync(join(root, '.data', 'supervisor.pid'));
  const wanted = new Set(sources.map((file) => file.slice(root.length).replace(/\.ts$/, '.js')));
  for (const file of filesUnder(dist)) {
    if (['console', 'docs', ...(runs ? ['chunks'] : [])].some((folder) => file.startsWith(join(dist, folder, '/')))) continue;
    const built = file.slice(dist.length).replace(/\.map$/, '');
    if (/\.m?js$/.test(built) && !wanted.has(built)) rmSync(file);
  }
}

function unlessUpToDate(stamp, inputs, work) {
  if (isUpToDate(stamp, inputs)) return;
  rmSync(stamp, { force: true });
  work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hashOf(inputs));
}

function isUpToDate(stamp, inputs) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(inputs);
}

function hashOf(inputs) {
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
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
