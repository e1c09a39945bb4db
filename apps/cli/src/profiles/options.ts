import { statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from '#lib/command-line';

export const help = `Loads health profiles from a file into the table profile.

  npm run profiles:import -- <file.ndjson|file.jsonl|file.csv> [options]

  --tenant <name>  whose profiles they are (default: demo)
  --dry-run        do everything but the last step, and say what would change
  --skip-bad       load the good rows although some are bad
  --help           show this text

Fields of a row: user_id, age, gender, height_cm, weight_kg, activity_level, health_goals, medical_conditions,
dietary_restrictions and, if known, last_updated (ISO 8601 with an offset; else the time of the import is taken).
NDJSON has one object a line. CSV has a header line; its lists are separated by ";" within the cell.

All rows or none: rows are gathered in a table of their own and moved into profile in one transaction at the end. If any
row is bad, nothing is loaded unless --skip-bad is given; of rows with the same user_id the later ones are bad. A run that
is interrupted or killed loads nothing. Running again is safe: a known user is brought up to date, an equal row is left
alone. Bad rows are reported by line and kept in <file>.rejected.ndjson. On the database that npm start provides, all other
queries wait during the last step, about 1.3 seconds for every 100,000 rows that change.

Database: DATABASE_URL, else the one in .data/dev.env that npm start wrote (another folder: INVOQ_DATA_DIR).
Exit code: 0 loaded, 1 rows rejected or import failed, 2 wrong usage, 130 interrupted.
`;

export interface ImportOptions {
  /** As it was typed, for messages. */
  readonly name: string;
  readonly file: string;
  readonly format: 'ndjson' | 'csv';
  readonly fileBytes: number;
  readonly tenant: string;
  readonly dryRun: boolean;
  readonly skipBad: boolean;
}

/** A relative file name counts from `folder`, where the person stands; npm runs its scripts elsewhere. */
export function readOptions(args: readonly string[], folder: string): ImportOptions | 'help' {
  const { values, positionals } = parsed(args);
  if (values.help) return 'help';
  const [name, ...rest] = positionals;
  if (!name || rest.length) throw new UsageError(name ? 'Give one file at a time.' : 'Give the file to import.');
  const file = path.resolve(folder, name);
  const tenant = values.tenant ?? 'demo';
  if (tenant === '' || tenant.includes('\0') || tenant.length > 128) throw new UsageError('--tenant must have 1 to 128 characters.');
  const { 'dry-run': dryRun = false, 'skip-bad': skipBad = false } = values;
  return { name, file, format: formatOf(file), fileBytes: sizeOf(file), tenant, dryRun, skipBad };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        tenant: { type: 'string' },
        'dry-run': { type: 'boolean' },
        'skip-bad': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function formatOf(file: string): ImportOptions['format'] {
  switch (path.extname(file).toLowerCase()) {
    case '.ndjson':
    case '.jsonl':
      return 'ndjson';
    case '.csv':
      return 'csv';
    default:
      throw new UsageError(`The file's name must end in .ndjson, .jsonl or .csv: ${file}`);
  }
}

function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new UsageError(`${found ? 'Not a file' : 'No such file'}: ${file}`);
  return found.size;
}
