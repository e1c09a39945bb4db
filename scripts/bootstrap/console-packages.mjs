// What builds the console has packages of its own: 240, of which a running product needs none.
import { spawn } from 'node:child_process';
import { lstatSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hasPackages, installPackages } from './install.mjs';
import { consoleFolder } from './sources.mjs';

const packagesOf = (root) => join(root, consoleFolder, 'packages');

/** @param options `dev`: with types, for checks */
export function installConsolePackages(root, { dev = false } = {}) {
  installPackages(packagesOf(root), { dev, what: 'what builds the console' });
  // Sources look above themselves for packages. A manifest beside them would hide the names of the libraries (`#lib/…`) from them.
  const link = join(root, consoleFolder, 'node_modules');
  if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(join(packagesOf(root), 'node_modules'), link, 'junction');
}

/**
 * Begins to install them beside other work: npm waits for half of its time. Whoever needs them calls `installConsolePackages` later, which
 * does what this could not, and says why.
 */
export function startConsolePackages(root, { dev }) {
  if (hasPackages(packagesOf(root), { dev })) return Promise.resolve();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'install-console.mjs'), root, ...(dev ? ['--dev'] : [])], {
    stdio: ['ignore', 2, 2],
    // A terminal has room for one bar of progress.
    env: { ...process.env, npm_config_progress: 'false' },
  });
  return new Promise((resolve) => child.on('close', resolve).on('error', resolve));
}

export function removeConsolePackages(root) {
  for (const folder of ['node_modules', 'packages/node_modules'])
    rmSync(join(root, consoleFolder, folder), { recursive: true, force: true });
}
