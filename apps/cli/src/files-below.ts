import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface FilesBelow {
  /** Paths from the folder, sorted. */
  readonly files: readonly string[];
  /** Links to other places, which are not followed: they may lead around, or out of the folder. */
  readonly links: readonly string[];
}

/** The files of a folder at any depth, without those of packages, of version control and of other programs, and nothing that is no file. */
export function filesBelow(folder: string): FilesBelow {
  const files: string[] = [];
  const links: string[] = [];
  const read = (below: string): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      if (isForeign(entry.name)) continue;
      const path = join(below, entry.name);
      if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isDirectory()) read(path);
      else if (entry.isFile()) files.push(path);
    }
  };
  read('');
  return { files: files.toSorted(), links: links.toSorted() };
}

/** Whether packages, version control or another program keeps something under this name. */
export function isForeign(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** Whether something at this path can be read to an end: a pipe has none. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
