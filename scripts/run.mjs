// Every npm script and `npx invoq` runs through this file, on whatever Node the machine has (20 or newer): it installs the packages,
// generates the database client, builds, and then runs the script on Node 24. A step that has nothing to do prints nothing.
// It has no dependencies, because it runs before the packages are installed.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildConsole, compile, generateClient, isConsoleBuilt } from './bootstrap/compile.mjs';
import { installConsolePackages, startConsolePackages } from './bootstrap/console-packages.mjs';
import { hasPackages, installPackages } from './bootstrap/install.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { findNode24 } from './bootstrap/node24.mjs';
import { runChild } from './bootstrap/run-child.mjs';
import { trimPackages } from './bootstrap/trim.mjs';

const root = dirname(import.meta.dirname);
const [command = 'build', ...given] = process.argv.slice(2);
// These two are commands of `invoq`, with its options.
const ofInvoq = { start: 'dev', stop: 'stop' }[command];
const args = ofInvoq ? [ofInvoq, ...given] : given;
// Who starts the others has little to do, and would keep the garbage of its start.
const sparing = command === 'start' ? ['--max-semi-space-size=1'] : [];
process.chdir(root);
const areUnitTests = command === 'test' && args.length > 0 && args.every(isUnitTest);

try {
  // What runs was built: to stop it, nothing is installed or built.
  if (command === 'stop') run(findNode24(root), scriptOf(command));
  else await prepareAndRun();
} catch (error) {
  console.error(error.expected ? `error: ${error.message}` : error);
  process.exitCode = 1;
}

async function prepareAndRun() {
  const node = await withLock(join(root, '.data', 'bootstrap.lock'), async () => {
    const dev = needsConsoleSources();
    const isBuilt = areUnitTests || isConsoleBuilt(root);
    const consolePackages = dev || !isBuilt ? startConsolePackages(root, { dev }) : undefined;
    try {
      const { node, whole } = installAndCompile();
      await consolePackages;
      if (dev) installConsolePackages(root, { dev });
      if (!isBuilt) buildConsole(root, node, { keep: whole });
      return node;
    } finally {
      await consolePackages;
    }
  });
  if (areUnitTests) run(node, 'node_modules/jest/bin/jest.js', ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning']);
  else if (command !== 'build') run(node, scriptOf(command));
}

function installAndCompile() {
  installPackages(root, { product: isOfProduct() });
  // What builds the pages is large, and nothing else needs it.
  if (command === 'docs') installPackages(join(root, 'docs/site'));
  // So is what others have made, which only this command tries.
  if (command === 'world/suite' && !args.some((arg) => ['--help', '-h', '--table'].includes(arg)))
    installPackages(join(root, 'world/packages'), { dev: !args.includes('--short') });
  // The samples of pages use some of it.
  if (isTested('test/documents/readme.long.test.ts')) installPackages(join(root, 'world/packages'), { dev: false });
  if (asksForLocalModels()) installPackages(join(root, 'deploy/local-models'), { what: 'what runs models on this machine, 480 MB' });
  if (asksForObjectStore()) installPackages(join(root, 'deploy/object-store'), { what: 'the client of an S3-compatible store, 22 MB' });
  const node = findNode24(root);
  generateClient(root, node);
  const whole = hasPackages(root);
  trimPackages(root, { product: !whole, node });
  if (!areUnitTests) compile(root, node, { whole });
  return { node, whole };
}

/** What runs or builds the product needs a third of the packages. */
function isOfProduct() {
  return ['start', 'build', 'backup', 'restore', 'apps/cli/src'].includes(command);
}

/** Whether sources of the console are read, and not only built. */
function needsConsoleSources() {
  if (areUnitTests) return args.some((arg) => arg.startsWith('apps/console/'));
  return ['check', 'dev', 'format', 'test'].includes(command);
}

/** Whether a setting asks for a model that runs here, or a test tries one. */
function asksForLocalModels() {
  if (command === 'test') return isTested('test/e2e/scenarios/knowledge-models.long.test.ts');
  const settings = settingsOfStart();
  return settings.EMBEDDING_PROVIDER === 'local' || Boolean(settings.RERANKER_MODEL);
}

/** Whether a long test runs: by its name or its folder's, or with all. */
function isTested(file) {
  return command === 'test' && args.some((arg) => arg === '--long' || (!arg.startsWith('-') && file.includes(arg)));
}

/** Whether files are kept in a bucket. With all packages, its client is among them. */
function asksForObjectStore() {
  return Boolean(settingsOfStart().FILES_S3_BUCKET) && !hasPackages(root);
}

/** The settings with which this command starts the product, and none where it does not. */
function settingsOfStart() {
  if (!['start', 'dev'].includes(command)) return {};
  const file = join(root, '.env');
  return { ...(existsSync(file) && settingsIn(readFileSync(file, 'utf8'))), ...process.env };
}

function settingsIn(text) {
  return Object.fromEntries([...text.matchAll(/^\s*(\w+)\s*=\s*["']?([^"'\s#]*)/gm)].map(([, name, value]) => [name, value]));
}

/** A test beside its source has no I/O: it needs no stores, and no build unless it starts what was built. */
function isUnitTest(file) {
  if (!/^(apps|libs|scripts)\/.*\.test\.ts$/.test(file) || /\.(integration|long|timing)\.test\.ts$/.test(file)) return false;
  return existsSync(file) && !readFileSync(file, 'utf8').includes('dist/');
}

function scriptOf(command) {
  const name = ofInvoq ? 'apps/cli/src' : command;
  const places = [`dist/scripts/${name}.js`, `dist/scripts/${name}/main.js`, `dist/${name}/main.js`];
  const script = places.find((place) => existsSync(join(root, place)));
  if (!script) throw Object.assign(new Error(`there is no command "${name}" (looked for ${places.join(', ')})`), { expected: true });
  return script;
}

function run(node, script, options = [...sparing, '--import', '#source-maps']) {
  runChild(node, [...options, script, ...args], {
    ...(areUnitTests && { NODE_ENV: 'test' }),
    // Later processes start from code that V8 has compiled before.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || join(root, 'node_modules/.cache/node-compile'),
  });
}
