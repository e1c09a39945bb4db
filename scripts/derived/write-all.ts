import { root } from '#lib/command-line';
import { workerLimits } from '#lib/contracts';
import { limitsDocument, limitsFile } from '../docs/limits.js';
import { staleToolLists } from './tool-lists.js';
import { staleWorkerRows } from './worker-rows.js';
import { writeFiles } from './write-files.js';

/** Writes every file of the repository that is derived from the sources, where it is stale. */
export function writeAll(): void {
  writeFiles(root, staleToolLists(root));
  writeFiles(root, staleWorkerRows(root));
  writeFiles(
    root,
    new Map([
      ['clients/python/src/invoq/limits.json', `${JSON.stringify(workerLimits, null, 2)}\n`],
      [limitsFile, limitsDocument()],
    ]),
  );
}
