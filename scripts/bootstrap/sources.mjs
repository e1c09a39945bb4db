// What is built, and how it is told that a source has changed.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** For browsers: built by Vite. */
export const consoleFolder = 'apps/console';

/** What `npm start` runs. */
export const productFolders = ['apps', 'libs', 'scripts'];
/** What tries and measures it. */
export const developmentFolders = ['bench', 'chaos', 'fuzz', 'security', 'world/suite', 'test'];

/** Whether a file, by its path, becomes JavaScript in dist. */
export function isSource(file) {
  const path = file.replaceAll('\\', '/');
  return path.endsWith('.ts') && !path.endsWith('.d.ts') && !path.endsWith('.test.ts') && !/(^|\/)apps\/console\//.test(path);
}

/** The files below a folder, by their paths; none where there is no such folder. */
export function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}
