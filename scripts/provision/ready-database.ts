// The database of a first start as files: the schema and the starter knowledge. To make them takes a first start eight seconds. They may be
// older than the migrations and the pages: a start brings them up to date, as it does any database.
import type { PGlite } from '@electric-sql/pglite';
import { appendFileSync, createReadStream, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { constants, createZstdDecompress, zstdCompress } from 'node:zlib';
import { root } from '#lib/command-line';
import { openDatabase } from './new-database.js';

export const readyFile = join(root, 'prisma/ready-database.zst');

/** What stands first in the file, on a line of its own. The contents of the files follow, in this order. */
interface Head {
  /** The digest of the starter pages in it: see `starterKnowledgeDigest`. */
  readonly knowledge: string;
  /** Postgres wants its empty folders too. Each stands behind the one that it is in. */
  readonly folders: readonly string[];
  readonly files: readonly (readonly [path: string, bytes: number])[];
}

/** What a checkpoint at the end of a process may still write to the log. */
const lastRecords = 262_144;
/** A third smaller than at the usual level. It takes some ten seconds, and costs nothing when it is unpacked. */
const windowLog = 27;
const params = { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_windowLog]: windowLog };

/**
 * Writes the ready database to a folder that does not exist: all of it or nothing, however this process ends. It is some 50 MB, which never are in memory
 * together: a process that starts others would keep them.
 * @returns the digest of its starter pages
 */
export async function unpackReadyDatabase(folder: string): Promise<string> {
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  const unpacked = createReadStream(readyFile).pipe(createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLog } }));
  let head: Head | null = null;
  let begun = Buffer.alloc(0);
  let rest: Rest[] = [];
  for await (const piece of unpacked) {
    let left: Buffer = piece;
    if (head === null) {
      begun = Buffer.concat([begun, piece]);
      const end = begun.indexOf('\n');
      if (end < 0) continue;
      head = headIn(begun.subarray(0, end));
      for (const path of head.folders) mkdirSync(join(unfinished, path), { mode: 0o700 });
      rest = head.files.map(([path, bytes]) => ({ path: join(unfinished, path), bytes }));
      left = begun.subarray(end + 1);
    }
    writeOn(rest, left);
  }
  // The last files may be empty.
  writeOn(rest, Buffer.alloc(0));
  if (head === null || rest.length > 0) throw new Error(`${readyFile} ends too early`);
  renameSync(unfinished, folder);
  return head.knowledge;
}

/** A file that is still to be written, and how much of it. */
interface Rest {
  readonly path: string;
  bytes: number;
}

/** Writes what comes next to the files that are left, and takes those off that are whole. */
function writeOn(rest: Rest[], content: Buffer): void {
  let left = content;
  for (let [file] = rest; file && (left.length > 0 || file.bytes === 0); [file] = rest) {
    const part = left.subarray(0, file.bytes);
    appendFileSync(file.path, part, { mode: 0o600 });
    left = left.subarray(part.length);
    file.bytes -= part.length;
    if (file.bytes === 0) rest.shift();
  }
}

function headIn(line: Buffer): Head {
  return JSON.parse(line.toString('utf8'));
}

/** Writes the file of the ready database from a database that no process uses. Its rows are packed close together. */
export async function packReadyDatabase(folder: string, knowledge: string): Promise<void> {
  const database = await openDatabase(folder);
  for (const statement of ['VACUUM FULL', 'VACUUM FREEZE ANALYZE', 'CHECKPOINT', 'SELECT pg_switch_wal()', 'CHECKPOINT'])
    await database.exec(statement);
  const log = await endOfLog(database);
  await database.close();
  clearBehind(join(folder, 'pg_wal'), log);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => ({
    path: join(entry.parentPath, entry.name).slice(folder.length + 1),
    isFolder: entry.isDirectory(),
  }));
  const contents = entries.filter(({ isFolder }) => !isFolder).map(({ path }) => ({ path, content: readFileSync(join(folder, path)) }));
  const head: Head = {
    knowledge,
    folders: entries
      .filter(({ isFolder }) => isFolder)
      .map(({ path }) => path)
      .toSorted(),
    files: contents.map(({ path, content }) => [path, content.length]),
  };
  const plain = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...contents.map(({ content }) => content)]);
  mkdirSync(dirname(readyFile), { recursive: true });
  writeFileSync(readyFile, await promisify(zstdCompress)(plain, { params }));
}

interface LogPlace {
  readonly segment: string;
  readonly offset: number;
}

async function endOfLog(database: PGlite): Promise<LogPlace> {
  const { rows } = await database.query<LogPlace>(
    'SELECT file_name AS segment, file_offset AS offset FROM pg_walfile_name_offset(pg_current_wal_insert_lsn())',
  );
  const [place] = rows;
  if (!place) throw new Error('Postgres does not tell where its log ends');
  return place;
}

/** Old records stay behind the end of the log, and in segments that are kept for later: 16 MB each, which nobody reads. */
function clearBehind(folder: string, { segment, offset }: LogPlace): void {
  for (const name of readdirSync(folder).filter((one) => /^[\dA-F]{24}$/.test(one))) {
    const file = join(folder, name);
    if (name === segment) writeFileSync(file, readFileSync(file).fill(0, offset + lastRecords));
    else rmSync(file);
  }
}
