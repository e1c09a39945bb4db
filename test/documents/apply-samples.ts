// Writes the code blocks of a document to the files that their attributes name, as a reader would who follows the document.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CodeBlock } from './markdown.js';

/**
 * `file=` is a new file, `insert=` adds lines before the last line of one that begins with `}`.
 *
 * @param root the copy of the repository to change
 * @returns the changed files, relative to the root
 * @throws Error if a new file exists already, a changed one does not, or no line begins with `}`
 */
export function applySamples(blocks: readonly CodeBlock[], root: string): readonly string[] {
  return blocks.flatMap(({ attributes: { file, insert }, text }) => {
    if (file) write(join(root, file), text);
    if (insert) insertBeforeEnd(join(root, insert), text);
    return [file, insert].filter((path) => path !== undefined);
  });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: 'wx' });
}

function insertBeforeEnd(path: string, text: string): void {
  const lines = readFileSync(path, 'utf8').split('\n');
  const end = lines.findLastIndex((line) => line.startsWith('}'));
  if (end < 0) throw new Error(`${path} has no line that begins with }`);
  writeFileSync(path, lines.toSpliced(end, 0, text.trimEnd()).join('\n'));
}
