// Reads, checks and stages every row in batches, then moves all of them into `profile`, or none.
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';

import type { Client } from 'pg';
import { CommandError } from '#lib/command-line';

import type { ImportOptions } from './options.js';
import { readCsv } from './read-csv.js';
import { readNdjson } from './read-ndjson.js';
import { RejectedRows } from './rejected-rows.js';
import { checkRow } from './row-schema.js';
import { type Chunks, maxRowBytes, type SourceRow } from './source-row.js';
import { type Difference, type StagedRow, Staging } from './staging.js';

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

interface BatchedRow extends StagedRow {
  readonly source: SourceRow;
}

interface Import {
  readonly options: ImportOptions;
  readonly client: Client;
  readonly observer: ImportObserver;
  /** Aborting it leaves `profile` unchanged. */
  readonly signal: AbortSignal;
}

/** Imports one file. Throws CommandError when it cannot be read, and the reason of the signal. */
export async function importFile({ options, client, observer, signal }: Import): Promise<ImportReport> {
  const importedAt = new Date();
  const rejected = await RejectedRows.beside(options.file);
  const staging = await Staging.open(client, randomBytes(8).toString('hex'));
  try {
    const rows = await stageAll({ options, staging, rejected, observer, signal });
    const report = { rows, rejected: rejected.count, rejectedPath: rejected.path };
    if (rejected.count > 0 && !options.skipBad) return { ...report, difference: null, loaded: false };

    const progress = { bytes: options.fileBytes, rows, rejected: rejected.count };
    observer.onProgress({ step: 'comparing', ...progress });
    const difference = await staging.compare(options.tenant);
    const staged = difference.added + difference.changed + difference.unchanged;
    if (staged !== rows - rejected.count)
      throw new CommandError(`The database kept ${staged} of ${rows - rejected.count} rows. Nothing was loaded.`);
    signal.throwIfAborted();
    if (options.dryRun) return { ...report, difference, loaded: false };

    observer.onProgress({ step: 'moving', ...progress });
    await staging.move(options.tenant, importedAt, signal);
    return { ...report, difference, loaded: true };
  } finally {
    await rejected.close();
    // Fails only when the connection is lost. A later run then drops the rows.
    await staging.drop().catch(() => undefined);
  }
}

interface StageAll extends Omit<Import, 'client'> {
  readonly staging: Staging;
  readonly rejected: RejectedRows;
}

/** The number of rows in the file, good and bad. */
async function stageAll({ options, staging, rejected, observer, signal }: StageAll): Promise<number> {
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
    const duplicates = await staging.add(batch.map(({ line, profile }) => ({ line, profile })));
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
