import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The root of the repository, for the sources as well as for `dist`; of the package `invoq` where that is installed. */
export const root = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder));
}

/** A clone of the repository has the sources of its scripts; the package does not. */
export const isClone = existsSync(join(root, 'scripts'));

/** How the product is started and stopped here. */
export const [startCommand, stopCommand] = isClone ? ['npm start', 'npm stop'] : ['npx invoq dev', 'npx invoq stop'];
