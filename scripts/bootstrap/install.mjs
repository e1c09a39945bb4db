// Installs the packages when node_modules differs from the lock file. Compared is npm's own record of what it installed
// (node_modules/.package-lock.json), so an install by hand counts.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { productLock } from './product-lock.mjs';
import { isTrimmedToProduct } from './trim.mjs';

/**
 * @param options `dev`: whether devDependencies are needed. `product`: only what product-lock.mjs keeps. What is installed beyond the need
 * stays. `what`: said where the packages are not the product's own.
 */
export function installPackages(root, { product = false, dev = !product, what = dev ? 'all packages' : 'packages' } = {}) {
  if (hasPackages(root, { dev, product })) return;
  if (locked(root)) {
    console.error(`installing ${what} (npm ci)…`);
    if (installBeside(root, { dev, product })) return;
    console.error('npm ci failed (see above); trying npm install…');
  } else {
    console.error('package-lock.json does not fit package.json: npm install…');
  }
  if (!npm(root, ['install'], dev)) {
    throw Object.assign(new Error('the packages could not be installed; npm says why above. Run the command again once that is solved.'), {
      expected: true,
    });
  }
}

/** Whether what the lock says is installed. */
export function hasPackages(root, { product = false, dev = !product } = {}) {
  const lock = locked(root);
  if (lock === null || (dev && isTrimmedToProduct(root)) || !hasItsNode(root)) return false;
  const needed = product ? productLock(readJson(join(root, 'package.json')), lock).lock : lock;
  return isInstalled(needed, readJson(join(root, 'node_modules', '.package-lock.json')), dev);
}

/** The lock, where it fits the manifest. */
function locked(root) {
  const lock = readJson(join(root, 'package-lock.json'));
  return lock !== null && lockFits(lock, readJson(join(root, 'package.json'))) ? lock : null;
}

/** Begins with `installPackages` beside other work, as npm waits for half of its time. Nothing is there before the promise is fulfilled. */
export async function startInstalling(root, { dev, what }) {
  if (!locked(root) || hasPackages(root, { dev })) return;
  console.error(`installing ${what} (npm ci)…`);
  const beside = prepareBeside(root, {});
  // A terminal has room for one bar of progress.
  const [program, args, options] = npmCommand(beside, [...byTheLock, '--no-progress'], dev);
  const npm = spawn(program, args, options);
  const code = await new Promise((resolve) => npm.on('close', resolve).on('error', resolve));
  if (code === 0) takePlace(root, beside);
}

const byTheLock = ['ci', '--replace-registry-host=always'];

function installBeside(root, { dev, product }) {
  const beside = prepareBeside(root, { product });
  if (!npm(beside, byTheLock, dev)) return false;
  takePlace(root, beside);
  return true;
}

/**
 * Another folder for `npm ci`, which then takes its place: what runs here, such as the product of another terminal, finds its packages all
 * the time. It is of this process alone: npm works on where a command was killed.
 */
function prepareBeside(root, { product }) {
  const modules = join(root, 'node_modules');
  mkdirSync(modules, { recursive: true });
  for (const name of readdirSync(modules)) if (/^\.(new|old)/.test(name)) removeLeft(join(modules, name));
  const beside = join(modules, `.new-${process.pid}`);
  mkdirSync(beside);
  if (existsSync(join(root, '.npmrc'))) cpSync(join(root, '.npmrc'), join(beside, '.npmrc'));
  const whole = { manifest: readJson(join(root, 'package.json')), lock: locked(root) };
  const { manifest, lock } = product ? productLock(whole.manifest, whole.lock) : whole;
  writeFileSync(join(beside, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(beside, 'package-lock.json'), JSON.stringify(withAddresses(lock)));
  return beside;
}

/** What a killed command has left. Where its npm still writes there, the next installation removes it. */
function removeLeft(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (error.code !== 'ENOTEMPTY') throw error;
  }
}

function takePlace(root, beside) {
  const modules = join(root, 'node_modules');
  const cache = join(modules, '.cache');
  if (existsSync(cache)) renameSync(cache, join(beside, 'node_modules/.cache'));
  const [next, old] = [`${modules}.new`, `${modules}.old`];
  for (const folder of [next, old]) rmSync(folder, { recursive: true, force: true });
  renameSync(join(beside, 'node_modules'), next);
  renameSync(modules, old);
  renameSync(next, modules);
  // Removed in there: it takes a while, and git knows the folder.
  renameSync(old, join(modules, '.old'));
  removeLeft(join(modules, '.old'));
}

/**
 * A lock that says at which path of its registry each package is. Without it npm asks the registry for a list of all versions of each
 * package first, which takes half of the requests and more than half of npm's time. The host is none: npm puts its registry there.
 */
function withAddresses(lock) {
  const packages = Object.entries(lock.packages).map(([place, entry]) => {
    if (!entry.integrity || entry.resolved) return [place, entry];
    const name = entry.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const file = `${name.split('/').at(-1)}-${entry.version}.tgz`;
    return [place, { ...entry, resolved: `https://registry.invalid/${name}/-/${file}` }];
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}

/** Runs npm in a folder. What it prints goes to stderr. Gives whether it succeeded. */
export function npm(root, args, dev = true) {
  return spawnSync(...npmCommand(root, args, dev)).status === 0;
}

function npmCommand(root, args, dev) {
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  // Building needs the development packages, also where NODE_ENV is production.
  // The lock has the versions and the hashes of all: what npm knows of a package from before need not be asked for again.
  const all = [...args, `--${dev ? 'include' : 'omit'}=dev`, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) return [process.execPath, [script, ...all], options];
  return ['npm', all, { ...options, shell: process.platform === 'win32' }];
}

function lockFits(lock, manifest) {
  const locked = lock.packages?.[''] ?? {};
  return ['dependencies', 'devDependencies', 'optionalDependencies'].every((kind) => sorted(locked[kind]) === sorted(manifest[kind]));
}

function sorted(record = {}) {
  return JSON.stringify(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isInstalled(lock, installed, dev) {
  if (!installed) return false;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    const there = installed.packages[path];
    // Optional packages of other platforms are not installed.
    if (!there) return path === '' || wanted.optional === true || wanted.devOptional === true || (!dev && wanted.dev === true);
    return there.version === wanted.version;
  });
}

/** Where Node 24 was there when the packages were installed, the packaged one is a link to it (trim.mjs), which may be gone. */
function hasItsNode(root) {
  const folder = join(root, 'node_modules', `node-${process.platform}-${process.arch}`);
  return process.platform === 'win32' || !existsSync(folder) || existsSync(join(folder, 'bin/node'));
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
