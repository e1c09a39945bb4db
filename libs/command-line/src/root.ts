import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The root of the repository, for the sources as well as for `dist`. */
export const root = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder));
}
