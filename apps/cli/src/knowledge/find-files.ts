import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { everyTenant } from '#lib/knowledge';
import { UsageError } from '#lib/command-line';

export interface KnowledgeImportOptions {
  readonly files: readonly string[];
  /** What the documents' paths are relative to. */
  readonly base: string;
  readonly collection: string;
  readonly tenant: string;
  readonly prune: boolean;
}

const readable = /\.(md|markdown|html?|txt|text|pdf|jsonl|ndjson)$/i;

/** Names count from `folder`, where the person stands. Throws UsageError. */
export function readImportOptions(args: readonly string[], folder: string): KnowledgeImportOptions | 'help' {
  const { values, positionals } = parsed(args);
  if (values.help) return 'help';
  if (positionals.length === 0) throw new UsageError('Give the files, folders or patterns to import.');
  const { collection, shared = false, prune = false } = values;
  if (!collection || !/^[a-z0-9][a-z0-9-]{0,62}$/.test(collection))
    throw new UsageError('--collection must be lower-case letters, digits and hyphens, at most 63.');
  if (shared && values.tenant !== undefined) throw new UsageError('Give --tenant or --shared, not both.');
  const tenant = shared ? everyTenant : (values.tenant ?? 'demo');
  if (tenant === '' || tenant.length > 128) throw new UsageError('--tenant must have 1 to 128 characters.');
  const places = positionals.map((name) => resolve(folder, name));
  const files = [...new Set(places.flatMap((place, index) => filesOf(place, positionals[index] ?? '')))].toSorted();
  const [only] = places;
  const base = places.length === 1 && only && isFolder(only) ? only : commonFolder(files);
  return { files, base, collection, tenant, prune };
}

/** A file that is named is taken whatever it is: the report will say why it cannot be read. */
function filesOf(place: string, name: string): readonly string[] {
  if (isFolder(place))
    return globSync('**/*', { cwd: place })
      .map((file) => resolve(place, file))
      .filter((file) => readable.test(file) && !isFolder(file));
  if (existsSync(place)) return [place];
  const found = globSync(place).filter((file) => !isFolder(file));
  if (found.length === 0) throw new UsageError(`Nothing is there: ${name}`);
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

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        collection: { type: 'string' },
        tenant: { type: 'string' },
        shared: { type: 'boolean' },
        prune: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
