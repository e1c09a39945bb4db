// What builds the console has packages of its own: 240, of which a running product needs none.
import { lstatSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './install.mjs';
import { consoleFolder } from './sources.mjs';

/** @param options `dev`: with types, for checks */
export function installConsolePackages(root, { dev = false } = {}) {
  installPackages(join(root, consoleFolder, 'packages'), { dev, what: 'what builds the console' });
  // Sources look above themselves for packages. A manifest beside them would hide the names of the libraries (`#lib/…`) from them.
  const link = join(root, consoleFolder, 'node_modules');
  if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(join(root, consoleFolder, 'packages/node_modules'), link, 'junction');
}

export function removeConsolePackages(root) {
  for (const folder of ['node_modules', 'packages/node_modules'])
    rmSync(join(root, consoleFolder, folder), { recursive: true, force: true });
}
