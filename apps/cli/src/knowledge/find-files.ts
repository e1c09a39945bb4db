import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '#lib/command-line';
import { filesBelow, isFile, isForeign } from '../files-below.js';

export interface FoundFiles {
  /** Absolute paths, sorted, each once. */
  readonly files: readonly string[];
  /** The folder that the paths of the documents are relative to. */
  readonly base: string;
}

const readable = /\.(md|markdown|html?|txt|text|pdf|jsonl|ndjson)$/i;

/**
 * The files of these names, folders and patterns, which count from `from`. Of a folder the readable files are taken, without those in
 * `node_modules` and in hidden folders; a file that is named is taken whatever it is, so that the report can say why it cannot be read. Throws UsageError when a name matches nothing.
 */
export function findFiles(names: readonly string[], from: string): FoundFiles {
  const files = [...new Set(names.flatMap((name) => filesOf(resolve(from, name), name)))].toSorted();
  const only = names.length === 1 ? resolve(from, names[0] ?? '') : null;
  return { files, base: only !== null && isFolder(only) ? only : commonFolder(files) };
}

function filesOf(path: string, name: string): readonly string[] {
  if (isFolder(path))
    return filesBelow(path)
      .files.filter((file) => readable.test(file))
      .map((file) => resolve(path, file));
  if (existsSync(path)) return [path];
  const found = globSync(path, name.includes('node_modules') ? {} : { exclude: isForeign }).filter(isFile);
  if (found.length === 0) throw new UsageError(`No file matches: ${name}`);
  return found;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function commonFolder(files: readonly string[]): string {
  let folder = dirname(files[0] ?? '.');
  while (!files.every((file) => file.startsWith(`${folder}/`)) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
