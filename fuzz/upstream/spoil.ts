// Ways in which an upstream's answer can be wrong.
import { createGzip, gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../chaos/random.js';
import { hostileText } from '../grammar/atoms.js';
import { brokenBytes, brokenText, mutated } from '../grammar/mutate.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Way = (response: ServerResponse, answer: Answer, random: Random) => void | Promise<void>;

const json = { 'content-type': 'application/json' };
const megabyte = 2 ** 20;

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) }).end(body);
}

const withBody = (body: (answer: Answer, random: Random) => string | Buffer): Way => {
  return (response, answer, random) => void response.writeHead(answer.status, answer.headers).end(body(answer, random));
};

/** How often a way is taken, and what it does. */
const ways: Readonly<Record<string, readonly [weight: number, way: Way]>> = {
  'other values': [10, withBody(({ body }, random) => valuesChanged(body, random))],
  'broken text': [4, withBody(({ body }, random) => brokenText(body, random))],
  'broken bytes': [4, withBody(({ body }, random) => brokenBytes(body, random))],
  'html 200': [3, (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Bad gateway</body></html>')],
  'html as json': [2, (response) => void response.writeHead(200, json).end('<html>')],
  empty: [3, (response, { headers }) => void response.writeHead(200, headers).end()],
  'no content': [1, (response) => void response.writeHead(204).end()],
  'any json': [4, (response, _, random) => void response.writeHead(200, json).end(JSON.stringify(mutated(null, random) ?? null))],
  'any text': [2, (response, { headers }, random) => void response.writeHead(200, headers).end(hostileText(random))],
  'deep json': [2, (response, _, random) => void response.writeHead(200, json).end(`${'{"a":'.repeat(random.pick([1_000, 100_000]))}1`)],
  'deep and whole': [2, (response) => void response.writeHead(200, json).end(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)],
  status: [
    8,
    (response, _, random) => {
      const retryAfter = random.pick(['', '0', '1', '-1', 'x', '99999999999', 'Sun, 22 Nov 2030 10:00:00 GMT', '0.5']);
      response
        .writeHead(random.pick([400, 401, 403, 404, 409, 418, 429, 429, 500, 502, 503, 504, 299, 599]), {
          ...json,
          ...(retryAfter && { 'retry-after': retryAfter }),
        })
        .end(
          random.pick([
            '{}',
            '{"error":"no"}',
            '{"error":{"message":null}}',
            '<html>',
            '',
            JSON.stringify({ error: { message: hostileText(random), code: 1 } }),
          ]),
        );
    },
  ],
  redirect: [
    3,
    (response, _, random) =>
      void response
        .writeHead(random.pick([301, 302, 303, 307, 308]), {
          location: random.pick(['/', '', 'http://169.254.169.254/', 'file:///etc/passwd', 'http://127.0.0.1:1/', '//x', 'javascript:1']),
        })
        .end(),
  ],
  huge: [1, (response, { headers }, random) => endless(response, headers, random.pick([2, 8, 40]))],
  'gzip bomb': [1, (response, { headers }, random) => bomb(response, headers, random.pick([8, 64]))],
  'not gzip': [2, (response, { headers, body }) => void response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(body)],
  'cut gzip': [
    2,
    (response, { headers, body }) =>
      void response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(gzipSync(body).subarray(0, 12)),
  ],
  cut: [
    3,
    (response, { headers, body }) => cut(response.writeHead(200, { ...headers, 'content-length': String(body.length + 100) }), body),
  ],
  reset: [3, (response) => void response.socket?.resetAndDestroy()],
  'no http': [
    2,
    (response, _, random) =>
      void response.socket?.end(
        random.pick([
          'SSH-2.0-x\r\n',
          'HTTP/1.1 999 x\r\n\r\n',
          'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n',
          'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
          '\0\0\0',
        ]),
      ),
  ],
  'many headers': [
    1,
    (response, { body }) => void response.writeHead(200, Array.from({ length: 3_000 }, (_, index) => [`x-${index}`, 'a']).flat()).end(body),
  ],
  'wrong type': [
    2,
    (response, { body }, random) =>
      void response
        .writeHead(200, {
          'content-type': random.pick(['', 'text/event-stream', 'application/octet-stream', 'application/json; charset=utf-16']),
        })
        .end(body),
  ],
  late: [2, async (response, answer, random) => sleep(random.pick([200, 1_500])).then(() => send(response, answer))],
  drip: [1, (response, { headers, body }) => drip(response.writeHead(200, headers), body)],
  hang: [0.6, () => undefined],
};
const names = Object.keys(ways);
const total = names.reduce((sum, name) => sum + (ways[name]?.[0] ?? 0), 0);

/** Answers wrongly in one of the ways. @returns its name */
export function spoil(response: ServerResponse, answer: Answer, random: Random): string {
  let left = random.next() * total;
  const name = names.find((one) => (left -= ways[one]?.[0] ?? 0) < 0) ?? 'reset';
  Promise.resolve(ways[name]?.[1](response, answer, random)).catch(() => response.destroy());
  return name;
}

/** Of JSON, or of each line of a stream of events. */
function valuesChanged(body: string, random: Random): string {
  const change = (text: string): string => {
    try {
      return JSON.stringify(mutated(JSON.parse(text), random) ?? null);
    } catch {
      return text;
    }
  };
  if (!body.startsWith('data:') && !body.startsWith('event:')) return change(body);
  return body.replaceAll(/^data: (.*)$/gm, (line, data: string) => (random.chance(0.4) ? `data: ${change(data)}` : line));
}

async function endless(response: ServerResponse, headers: Answer['headers'], megabytes: number): Promise<void> {
  response.writeHead(200, headers);
  const piece = Buffer.alloc(megabyte, ' ');
  response.write('{"a":"');
  for (let sent = 0; sent < megabytes && !response.destroyed; sent++)
    if (!response.write(piece)) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), sleep(5_000)]);
  response.end('"}');
}

function bomb(response: ServerResponse, headers: Answer['headers'], megabytes: number): void {
  const gzip = createGzip();
  gzip.on('error', () => response.destroy());
  gzip.pipe(response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }));
  for (let sent = 0; sent < megabytes; sent++) gzip.write(Buffer.alloc(megabyte, 0x20));
  gzip.end();
}

async function cut(response: ServerResponse, body: string): Promise<void> {
  response.write(body.slice(0, body.length / 2));
  await sleep(30);
  response.destroy();
}

async function drip(response: ServerResponse, body: string): Promise<void> {
  for (const character of body) {
    if (response.destroyed) return;
    response.write(character);
    await sleep(400);
  }
  response.end();
}
