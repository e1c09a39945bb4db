import { sourcesOfFile, type ImportSource } from '#lib/knowledge';
import { root } from '#lib/command-line';
import type { KnowledgeImportOptions } from './options.js';

/** Everything that an import reads, file by file, as it is wanted. @param onFile told the number of each file that is begun */
export async function* sourcesOf(
  { files, base }: Pick<KnowledgeImportOptions, 'files' | 'base'>,
  onFile: (number: number) => void = () => undefined,
): AsyncGenerator<ImportSource> {
  for (const [index, file] of files.entries()) {
    onFile(index + 1);
    yield* sourcesOfFile(file, { base, repository: root });
  }
}
