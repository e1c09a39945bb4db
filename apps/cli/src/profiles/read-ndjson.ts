// NDJSON: one JSON object a line. Bytes are split into lines before they are decoded: a line with broken UTF-8 is one bad row, and a
// line without an end needs no more memory than the limit.
import { isUtf8 } from 'node:buffer';

import { type Chunks, maxRowBytes, type SourceRow, withoutByteOrderMark } from './source-row.js';

const newline = 0x0a;
const shownOfLongRow = 200;

export async function* readNdjson(chunks: Chunks): AsyncGenerator<SourceRow> {
  let line = 0;
  for await (const { bytes, tooLong } of splitLines(withoutByteOrderMark(chunks))) {
    line += 1;
    const row = toRow(bytes, tooLong);
    if (row) yield { line, ...row };
  }
}

/** Lines without their ends; of a line over the limit only the first bytes. */
async function* splitLines(chunks: Chunks): AsyncGenerator<{ bytes: Buffer; tooLong: boolean }> {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer) => {
    if (length <= maxRowBytes) parts.push(part);
    length += part.length;
  };
  const take = () => {
    const tooLong = length > maxRowBytes;
    const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    parts = [];
    length = 0;
    return { bytes: tooLong ? bytes.subarray(0, shownOfLongRow) : bytes, tooLong };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (length > 0) yield take();
}

/** Undefined for a blank line. */
function toRow(bytes: Buffer, tooLong: boolean): Omit<SourceRow, 'line'> | undefined {
  const written = bytes.toString('utf8').trim();
  const text = () => written;
  if (tooLong) return { text, content: { fault: `is longer than ${maxRowBytes} bytes` } };
  if (written === '') return undefined;
  if (!isUtf8(bytes)) return { text, content: { fault: 'is not valid UTF-8' } };
  try {
    return { text, content: { fields: JSON.parse(written) as unknown } };
  } catch {
    return { text, content: { fault: 'is not valid JSON' } };
  }
}
