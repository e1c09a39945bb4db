// What builds the console has packages of its own: 240, of which a running product needs none.
import { lstatSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, startInstalling } from './install.mjs';
import { consoleFolder } from './sources.mjs';

const packagesOf = (root) => join(root, consoleFolder, 'packages');
const whatTheyDo = 'what builds the console';

/** @param options `dev`: with types, for checks */
export function installConsolePackages(root, { dev = false } = {}) {
  installPackages(packagesOf(root), { dev, what: whatTheyDo });
  // Sources look above themselves for packages. A manifest beside them would hide the names of the libraries (`#lib/…`) from them.
  const link = join(root, consoleFolder, 'node_modules');
  if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(join(packagesOf(root), 'node_modules'), link, 'junction');
}

/** Begins to install them. Whoever needs them calls `installConsolePackages` later, which does what this could not, and says why. */
export function startConsolePackages(root, { dev }) {
  return startInstalling(packagesOf(root), { dev, what: whatTheyDo });
}

export function removeConsolePackages(root) {
  for (const folder of ['node_modules', 'packages/node_modules'])
    rmSync(join(root, consoleFolder, folder), { recursive: true, force: true });
}
