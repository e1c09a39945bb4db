// Raw bytes over a socket, for requests that no HTTP client would send.
import { once } from 'node:events';
import { createConnection } from 'node:net';

export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends these bytes and reads until the other side closes. Splits the first answer into head and body, and parses no more. */
export async function rawRequest(base: string, text: string): Promise<RawReply> {
  const { hostname, port } = new URL(base);
  const socket = createConnection({ host: hostname, port: Number(port), timeout: 20_000 });
  socket.on('timeout', () => socket.destroy(new Error('no answer')));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'connect');
  socket.write(text, 'latin1');
  // What was sent may be refused before all of it was read.
  await once(socket, 'close').catch((error: unknown) => {
    if (chunks.length === 0) throw error;
  });
  return parse(Buffer.concat(chunks).toString('utf8'));
}

function parse(answer: string): RawReply {
  const end = answer.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = answer.slice(0, end).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, text: answer.slice(end + 4) };
}
