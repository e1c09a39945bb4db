// `npm run lock`, after every `npm install`: each package in package-lock.json has the hash that it is checked against, on every platform.
// A registry may lack the newest version of a package for another platform. npm then leaves it out of the lock, and `npm ci` refuses that
// lock. No entry is made up for it: an older version, which the registry has for all platforms, is taken instead.
// With `--check` nothing is asked and nothing is written.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './bootstrap/install.mjs';

const args = process.argv.slice(2);
const folder = args.find((arg) => !arg.startsWith('-')) ?? '.';
const file = join(folder, 'package-lock.json');

if (!args.includes('--check') && gaps(read()).length > 0) {
  const lock = read();
  // npm asks for what is not there; it does not complete what is.
  lock.packages = Object.fromEntries(Object.entries(lock.packages).filter(([path, entry]) => path === '' || entry.integrity));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  npm(folder, ['install', '--package-lock-only']);
}
const left = gaps(read());
if (left.length > 0) {
  console.error(`${file} is not complete:\n${left.map((gap) => `- ${gap}`).join('\n')}`);
  console.error(
    'Run `npm run lock`. For what stays, take an older version of the package that needs it, one that the registry has for all platforms.',
  );
  process.exitCode = 1;
} else {
  console.log(`${file} is complete`);
}

function read() {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** What is wrong with a lock, in one line each. */
function gaps({ packages }) {
  return Object.entries(packages).flatMap(([path, entry]) => [
    ...(path !== '' && !entry.integrity ? [`${path} ${entry.version} has no integrity`] : []),
    ...(entry.resolved ? [`${path} names the registry ${entry.resolved}`] : []),
    ...Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !isLocked(packages, path, name))
      .map(([name, version]) => `${name} ${version}, which ${path || 'package.json'} may need, has no entry`),
  ]);
}

/** Whether the lock holds what `name` means to the package at `path`, looked up as Node does: from the inside out. */
function isLocked(packages, path, name) {
  for (let base = path; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    if (packages[`${base ? `${base}/` : ''}node_modules/${name}`]) return true;
    if (!base) return false;
  }
}
