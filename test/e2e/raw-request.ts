// Raw bytes over a socket, for requests that no HTTP client would send.
import { once } from 'node:events';
import { createConnection } from 'node:net';

export interface RawReply {
  /** 0 when the other side closed the connection without an answer. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Sends these bytes and reads until the other side closes or a chunked body has ended. Splits the first answer into head and body, and parses no more.
 * @param text characters up to U+00FF, each one byte
 */
export async function rawRequest(base: string, text: string | Uint8Array): Promise<RawReply> {
  const { hostname, port } = new URL(base);
  const socket = createConnection({ host: hostname, port: Number(port), timeout: 60_000 });
  socket.on('timeout', () => socket.destroy(new Error('no answer')));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (isLastChunk(chunks)) socket.end();
  });
  await once(socket, 'connect');
  socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
  // What was sent may be refused before all of it was read.
  await once(socket, 'close').catch((error: unknown) => {
    if (chunks.length === 0 && !isCut(error)) throw error;
  });
  return parse(Buffer.concat(chunks));
}

function isCut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
}

function parse(answer: Buffer): RawReply {
  const end = answer.indexOf('\r\n\r\n');
  // An interim answer (100 Continue) comes before the answer.
  if (end > 0 && /^HTTP\/1\.1 1\d\d /.test(answer.toString('latin1', 0, 13))) return parse(answer.subarray(end + 4));
  const [statusLine = '', ...lines] = answer.toString('latin1', 0, Math.max(end, 0)).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = answer.subarray(end + 4);
  const whole = headers.get('transfer-encoding') === 'chunked' ? unchunked(body) : body;
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, text: whole.toString('utf8') };
}

/** Event streams are chunked and leave the connection open. */
function isLastChunk(chunks: readonly Buffer[]): boolean {
  if (!chunks.at(-1)?.subarray(-5).equals(Buffer.from('0\r\n\r\n'))) return false;
  return /^transfer-encoding: chunked\r?$/im.test(Buffer.concat(chunks).toString('latin1', 0, 4_096));
}

/** The content of a chunked body (RFC 9112, section 7.1), as far as it arrived. */
function unchunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (lineEnd < 0 || !(size > 0)) break;
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts);
}
