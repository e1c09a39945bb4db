// Reads and checks every row in batches. Only when the whole file is read, what was good is loaded.
import { createReadStream } from 'node:fs';

import type { CheckedProfile, Destination, Difference } from './destination.js';
import type { ImportOptions } from './options.js';
import { readCsv } from './read-csv.js';
import { readNdjson } from './read-ndjson.js';
import { RejectedRows } from './rejected-rows.js';
import { checkRow } from './row-schema.js';
import { type Chunks, maxRowBytes, type SourceRow } from './source-row.js';

export interface ImportProgress {
  readonly step: 'reading' | 'comparing' | 'moving';
  readonly bytes: number;
  readonly rows: number;
  readonly rejected: number;
}

export interface ImportObserver {
  readonly onProgress: (progress: ImportProgress) => void;
  readonly onRejected: (line: number, reasons: readonly string[]) => void;
}

export interface ImportReport {
  readonly rows: number;
  readonly rejected: number;
  readonly rejectedPath: string;
  /** What the good rows change, or null where nothing was compared because bad rows stopped the import. */
  readonly difference: Difference | null;
  readonly loaded: boolean;
}

const batchRows = 1_000;
const batchBytes = 4 * maxRowBytes;
const readBytes = 262_144;

interface BatchedRow extends CheckedProfile {
  readonly source: SourceRow;
}

interface Import {
  readonly options: ImportOptions;
  readonly open: () => Promise<Destination>;
  readonly observer: ImportObserver;
  /** Aborting it loads nothing more. */
  readonly signal: AbortSignal;
}

/** Imports one file. Throws CommandError when it cannot be read, and the reason of the signal. */
export async function importFile({ options, open, observer, signal }: Import): Promise<ImportReport> {
  const rejected = await RejectedRows.beside(options.file);
  const destination = await open();
  try {
    const rows = await readAll({ options, destination, rejected, observer, signal });
    const report = { rows, rejected: rejected.count, rejectedPath: rejected.path };
    if (rejected.count > 0 && !options.skipBad) return { ...report, difference: null, loaded: false };

    const progress = { bytes: options.fileBytes, rows, rejected: rejected.count };
    const difference = await destination.finish({
      rows: rows - rejected.count,
      isDryRun: options.dryRun,
      signal,
      onStep: (step) => observer.onProgress({ step, ...progress }),
    });
    return { ...report, difference, loaded: !options.dryRun };
  } finally {
    await rejected.close();
    // Fails only when the connection is lost. A later import then drops the rows.
    await destination.drop().catch(() => undefined);
  }
}

interface ReadAll extends Omit<Import, 'open'> {
  readonly destination: Destination;
  readonly rejected: RejectedRows;
}

/** The number of rows in the file, good and bad. */
async function readAll({ options, destination, rejected, observer, signal }: ReadAll): Promise<number> {
  const reject = async (row: SourceRow, reasons: readonly string[]) => {
    observer.onRejected(row.line, reasons);
    await rejected.add(row, reasons);
  };
  let rows = 0;
  let bytes = 0;
  let batch: BatchedRow[] = [];
  let batchStart = 0;
  const flush = async () => {
    signal.throwIfAborted();
    const sources = new Map(batch.map(({ line, source }) => [line, source]));
    const duplicates = await destination.add(batch.map(({ line, profile }) => ({ line, profile })));
    for (const { line, firstLine } of duplicates) {
      const source = sources.get(line);
      if (source) await reject(source, [`user_id: the same user is on line ${firstLine} already`]);
    }
    batch = [];
    batchStart = bytes;
    observer.onProgress({ step: 'reading', bytes, rows, rejected: rejected.count });
  };

  const chunks = counted(createReadStream(options.file, { highWaterMark: readBytes }), (length) => (bytes += length));
  for await (const source of options.format === 'csv' ? readCsv(chunks) : readNdjson(chunks)) {
    rows += 1;
    const checked = 'fault' in source.content ? { faults: [source.content.fault] } : checkRow(source.content.fields);
    if ('profile' in checked) batch.push({ line: source.line, profile: checked.profile, source });
    else await reject(source, checked.faults);
    if (batch.length >= batchRows || bytes - batchStart >= batchBytes || rows % batchRows === 0) await flush();
  }
  await flush();
  return rows;
}

async function* counted(chunks: Chunks, count: (length: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}
