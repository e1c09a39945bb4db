import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { UnreadableDocument } from '../document.js';
import { readJsonLine } from '../read/json-line.js';
import { maxDocumentBytes, readDocument } from '../read/read-document.js';
import type { ImportSource } from './import-documents.js';

interface FileOptions {
  /** The folder that document paths are relative to. */
  readonly base: string;
  /** Files in this folder get their path in it as `repoPath`, unless they name a `repo_path` or `source_url`. */
  readonly repository?: string;
}

/** Everything that an import reads from files, one after the other. @param onFile called with the number of each file, from 1 */
export async function* sourcesOfFiles(
  files: readonly string[],
  options: FileOptions,
  onFile: (number: number) => void = () => undefined,
): AsyncGenerator<ImportSource> {
  for (const [index, file] of files.entries()) {
    onFile(index + 1);
    yield* sourcesOfFile(file, options);
  }
}

/** The documents of a file: one, or one for each line of a JSONL file. A file is read only when its `read` is called. */
export async function* sourcesOfFile(file: string, { base, repository }: FileOptions): AsyncGenerator<ImportSource> {
  const path = slashes(relative(base, file)) || slashes(file);
  if (/\.(jsonl|ndjson)$/i.test(file)) {
    let number = 0;
    for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
      number += 1;
      const place = `${path}:${number}`;
      if (line.trim() !== '') yield { path: place, read: () => readJsonLine(place, line) };
    }
    return;
  }
  const repoPath = repository === undefined ? null : within(repository, file);
  yield {
    path,
    read: async () => {
      const { size } = await stat(file);
      if (size > maxDocumentBytes)
        throw new UnreadableDocument(`it has ${Math.ceil(size / 1_048_576)} MB; the most is ${maxDocumentBytes / 1_048_576} MB`);
      const document = await readDocument(path, await readFile(file));
      return repoPath !== null && document.repoPath === undefined && document.sourceUrl === undefined
        ? { ...document, repoPath }
        : document;
    },
  };
}

function within(folder: string, file: string): string | null {
  const path = relative(folder, resolve(file));
  return path.startsWith('..') || path.startsWith(sep) ? null : slashes(path);
}

function slashes(path: string): string {
  return path.split(sep).join('/');
}
