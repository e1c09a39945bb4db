// Installs the packages when node_modules differs from the lock file. Compared is npm's own record of what it installed
// (node_modules/.package-lock.json), so an install by hand counts.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param options `dev`: whether devDependencies are needed. What is installed beyond the need stays. `what`: said where the packages are not
 * the product's own.
 */
export function installPackages(root, { dev = true, what = 'packages' } = {}) {
  const lock = readJson(join(root, 'package-lock.json'));
  const fits = lock !== null && lockFits(lock, readJson(join(root, 'package.json')));
  if (fits && isInstalled(lock, readJson(join(root, 'node_modules', '.package-lock.json')), dev) && hasItsNode(root)) return;

  if (fits) {
    console.error(`installing ${what} (npm ci)…`);
    if (npm(root, ['ci'], dev)) return;
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

/** Runs npm in a folder. What it prints goes to stderr. Gives whether it succeeded. */
export function npm(root, args, dev = true) {
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  // Building needs the development packages, also where NODE_ENV is production.
  const all = [...args, `--${dev ? 'include' : 'omit'}=dev`, '--no-audit', '--no-fund', '--loglevel=error'];
  const script = process.env.npm_execpath;
  const result = script?.endsWith('.js')
    ? spawnSync(process.execPath, [script, ...all], options)
    : spawnSync('npm', all, { ...options, shell: process.platform === 'win32' });
  return result.status === 0;
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
