import type { Readable } from 'node:stream';
import type { RawData } from 'ws';

/** Calls for each whole line of JSON that a stream brings. */
export function onLines(stream: Readable, onLine: (line: unknown) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(JSON.parse(line));
  });
}

const utf8 = new TextDecoder();

/** The JSON of one message of a WebSocket. */
export function jsonOf(data: RawData): unknown {
  return JSON.parse(utf8.decode(Array.isArray(data) ? Buffer.concat(data) : data));
}
