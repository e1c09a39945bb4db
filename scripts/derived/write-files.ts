import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Brings files of a repository up to date. @param files their texts as they should be */
export function writeFiles(root: string, files: ReadonlyMap<string, string>): void {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}
