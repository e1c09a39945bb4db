import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export const templatePrefix = 'postgres-';

/** Removes the templates beside this one that are of other versions, some 40 MB each. What other processes make of this version stays. */
export function removeOtherTemplates(folder: string): void {
  const cache = dirname(folder);
  for (const name of readdirSync(cache))
    if (name.startsWith(templatePrefix) && !name.startsWith(basename(folder))) rmSync(join(cache, name), { recursive: true, force: true });
}
