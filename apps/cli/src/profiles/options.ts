import { statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '#lib/command-line';
import { tenantOf } from '../tenant.js';

export interface ImportOptions {
  /** As it was typed, for messages. */
  readonly name: string;
  readonly file: string;
  readonly format: 'ndjson' | 'csv';
  readonly fileBytes: number;
  /** Of an import beside the database; null for one by calls, whose key tells the tenant. */
  readonly tenant: string | null;
  readonly dryRun: boolean;
  readonly skipBad: boolean;
}

interface GivenOptions {
  readonly tenant?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly skipBad?: boolean | undefined;
}

/** A relative file name counts from `folder`, where the user stands. Throws UsageError. */
export function readOptions(name: string, { tenant, dryRun = false, skipBad = false }: GivenOptions, folder: string): ImportOptions {
  const file = path.resolve(folder, name);
  return {
    name,
    file,
    format: formatOf(file),
    fileBytes: sizeOf(file),
    tenant: tenant === undefined ? null : tenantOf(tenant),
    dryRun,
    skipBad,
  };
}

function formatOf(file: string): ImportOptions['format'] {
  switch (path.extname(file).toLowerCase()) {
    case '.ndjson':
    case '.jsonl':
      return 'ndjson';
    case '.csv':
      return 'csv';
    default:
      throw new UsageError(`The name of the file must end in .ndjson, .jsonl or .csv: ${file}`);
  }
}

function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new UsageError(`${found ? 'Not a file' : 'No such file'}: ${file}`);
  return found.size;
}
