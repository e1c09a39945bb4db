// CSV by RFC 4180 with a header line; lists are separated by `;` within their cell. A broken quote ends the reading, because it is
// unknown where the next row begins. Cells are parsed as Latin-1, which keeps every byte, and decoded afterwards: broken UTF-8 makes
// one bad row, and no U+FFFD.
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';

import { CsvError, parse } from 'csv-parse';

import { columns, listColumns, numberColumns, optionalColumns } from './row-schema.js';
import { type Chunks, maxRowBytes, type SourceRow, UnreadableFile, withoutByteOrderMark } from './source-row.js';

const decimal = /^[+-]?\d+(\.\d+)?$/;
const nonAscii = /[\u{80}-\u{ff}]/u;

export async function* readCsv(chunks: Chunks): AsyncGenerator<SourceRow> {
  const { separator, isNamed, all } = await separatedBy(withoutByteOrderMark(chunks));
  const source = Readable.from(all, { objectMode: false });
  let nextLine = 1;
  let header: string[] | undefined;
  try {
    for await (const record of records(source, separator)) {
      const line = nextLine;
      if (record instanceof CsvError) throw new UnreadableFile(describe(record, line));
      nextLine += 1 + record.reduce((count, cell) => count + newlinesIn(cell), 0);
      // Spreadsheets write rows and columns of separators alone where somebody once had a cell.
      if (record.every(isBlank) || (isNamed && line === 1)) continue;
      if (header) yield { line, text: () => toCsv(record), content: toContent(withoutBlankEnd(record, header.length), header) };
      else header = checkedHeader(withoutBlankEnd(record, 0).map((cell) => decode(cell).trim()));
    }
  } finally {
    source.destroy();
  }
  if (!header) throw new UnreadableFile('The file is empty: a CSV file begins with a header line.');
}

interface Separated {
  readonly separator: string;
  /** A first line `sep=;` says so, as spreadsheets write it. */
  readonly isNamed: boolean;
  readonly all: Chunks;
}

/** Spreadsheets separate cells as their country does: by the first of these that the header has. */
async function separatedBy(chunks: AsyncIterable<Buffer>): Promise<Separated> {
  const rest = chunks[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    start = Buffer.concat([start, next.value]);
    if (/[\r\n]/.test(start.toString('latin1')) || start.length > maxRowBytes) break;
  }
  const [line = ''] = start.toString('latin1').split(/[\r\n]/, 1);
  const [, named] = /^sep=(.)$/.exec(line) ?? [];
  const separator = named ?? [',', ';', '\t'].find((one) => line.includes(one)) ?? ',';
  const all = async function* () {
    yield start;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  };
  return { separator, isNamed: named !== undefined, all: all() };
}

function records(source: Readable, delimiter: string): AsyncIterable<string[] | CsvError> {
  const parser = parse({
    encoding: 'latin1',
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maxRowBytes,
    // A thrown error would discard the good records before it that are still in the stream. As an element it keeps its place.
    skip_records_with_error: true,
    on_skip: (error) => void parser.push(error),
  });
  // `pipe` does not pass errors on; `destroy` gives them to the reader of the parser.
  source.on('error', (error) => parser.destroy(error));
  return source.pipe(parser);
}

function checkedHeader(names: string[]): string[] {
  const known: ReadonlySet<string> = new Set(columns);
  const wrong = [
    ...columns.filter((name) => !optionalColumns.has(name) && !names.includes(name)).map((name) => `column ${name} is missing`),
    ...names.filter((name) => !known.has(name)).map((name) => `column ${JSON.stringify(name)} is unknown`),
    ...names.filter((name, index) => known.has(name) && names.indexOf(name) !== index).map((name) => `column ${name} stands twice`),
  ];
  if (wrong.length) throw new UnreadableFile(`The header line does not fit: ${wrong.join('; ')}.`);
  return names;
}

/** A file of old programs ends with a sign of its own. */
function isBlank(cell: string): boolean {
  return cell.replaceAll('\u{1a}', '').trim() === '';
}

/** Without the blank cells at its end that are more than these. */
function withoutBlankEnd(record: readonly string[], columnCount: number): readonly string[] {
  return record.slice(0, Math.max(columnCount, record.findLastIndex((cell) => !isBlank(cell)) + 1));
}

function toContent(record: readonly string[], header: string[]): SourceRow['content'] {
  if (record.length !== header.length) return { fault: `has ${record.length} cells where the header has ${header.length}` };
  if (!record.every((cell) => !nonAscii.test(cell) || isUtf8(Buffer.from(cell, 'latin1')))) return { fault: 'is not valid UTF-8' };
  const cells = header.map((name, index) => [name, toValue(name, decode(record[index] ?? ''))] as const);
  return { fields: Object.fromEntries(cells.filter(([, value]) => value !== undefined)) };
}

/** The value of a cell in its column. Text that is no number stays text, which the row schema rejects. */
function toValue(name: string, cell: string): unknown {
  if (listColumns.has(name)) return cell.trim() === '' ? [] : cell.split(';').map((item) => item.trim());
  if (numberColumns.has(name)) return decimal.test(cell.trim()) ? Number(cell) : cell;
  return cell === '' && optionalColumns.has(name) ? undefined : cell;
}

function decode(cell: string): string {
  return nonAscii.test(cell) ? Buffer.from(cell, 'latin1').toString('utf8') : cell;
}

/** The row as it could stand in the file again. */
function toCsv(record: readonly string[]): string {
  return record
    .map(decode)
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',');
}

function newlinesIn(cell: string): number {
  return cell.includes('\n') ? cell.split('\n').length - 1 : 0;
}

/** Not the message of the parser: it repeats the cell, and cells are health data. */
function describe({ code }: CsvError, line: number): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `The row on line ${line} opens a quote that is never closed.`;
  if (code === 'CSV_MAX_RECORD_SIZE') return `The row on line ${line} is longer than ${maxRowBytes} bytes; is a quote not closed?`;
  if (code === 'CSV_INVALID_CLOSING_QUOTE' || code === 'INVALID_OPENING_QUOTE') {
    return `The row on line ${line} has a quote inside a cell. Quote the whole cell and double the quotes in it.`;
  }
  return `The row on line ${line} is not CSV (${code}).`;
}
