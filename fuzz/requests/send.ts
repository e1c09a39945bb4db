// Sends one step and reads what comes back, to its end or the deadline.
import { Agent, request, type IncomingMessage } from 'node:http';
import { createConnection } from 'node:net';
import { filled, type Step } from './case.js';
import { parseReplies, type Reply } from './replies.js';

export interface Exchange {
  /** More than one for several requests on one socket. */
  readonly replies: readonly Reply[];
  /** How it ended. `hung`: nothing ended it before the deadline. `left`: the reader went away on purpose. */
  readonly end: 'whole' | 'cut' | 'hung' | 'left';
  readonly ms: number;
}

interface Place {
  readonly url: string;
  readonly names: ReadonlyMap<string, string>;
  readonly traceparent: string;
}

const deadlineMs = 120_000;
/** Halves of requests are never answered; nobody waits for that. */
const rawDeadlineMs = 1_500;
const maxKeptBytes = 8 * 2 ** 20;
/** The feed of `GET /admin/activity` has no end. Its second event shows that it lives, and the reader leaves. */
const goesOn = /^event: second$/m;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

export async function send(step: Step, place: Place): Promise<Exchange> {
  const started = performance.now();
  const fill = (text: string): string => filled(text, place.names);
  const headers = step.headers.map(([name, value]) => [name, fill(value)] as const);
  if (!headers.some(([name]) => name.toLowerCase() === 'traceparent')) headers.push(['traceparent', place.traceparent]);
  const target = fill(step.target);
  const body = step.bytes !== undefined ? Buffer.from(step.bytes, 'base64') : Buffer.from(fill(step.body ?? ''));
  const outcome = await (step.raw !== undefined
    ? viaSocket(place.url, Buffer.from(fill(step.raw), 'latin1'))
    : isHttp(step.method, target, headers)
      ? viaHttp(place.url, { ...step, target, headers, body })
      : viaSocket(place.url, textOf(step.method, { target, headers, body })));
  return { ...outcome, ms: performance.now() - started };
}

interface Filled extends Pick<Step, 'method' | 'target' | 'headers' | 'leavesAfterMs'> {
  readonly body: Buffer;
}

/** Whether Node's client would send it. It refuses what is no HTTP. */
function isHttp(method: string, target: string, headers: Step['headers']): boolean {
  return (
    /^(?!CONNECT)[A-Z-]+$/.test(method) &&
    /^[\x21-\x7e]+$/.test(target) &&
    headers.every(([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value))
  );
}

async function viaHttp(url: string, step: Filled, isSecondTry = false): Promise<Omit<Exchange, 'ms'>> {
  const { method, target, headers, body, leavesAfterMs } = step;
  const outcome = Promise.withResolvers<Omit<Exchange, 'ms'> | 'again'>();
  const { hostname, port } = new URL(url);
  const length = body.length > 0 || method === 'POST' ? [['content-length', String(body.length)] as const] : [];
  const outgoing = request({
    // The second try has a connection of its own: every kept one may be as old as the first.
    agent: isSecondTry ? false : agent,
    hostname,
    port,
    method,
    path: target,
    headers: [['host', `${hostname}:${port}`] as const, ...headers.filter(([name]) => name.toLowerCase() !== 'host'), ...length].flat(2),
    setHost: false,
  });
  const finish = (replies: readonly Reply[], end: Exchange['end']) => {
    outcome.resolve({ replies, end });
    if (end !== 'whole') outgoing.destroy();
  };
  const deadline = setTimeout(() => finish([], 'hung'), deadlineMs);
  const leaving = leavesAfterMs === undefined ? undefined : setTimeout(() => finish([], 'left'), leavesAfterMs);
  outgoing.on('error', () => {
    // The server had closed the kept connection before this request was read.
    if (outgoing.reusedSocket && !isSecondTry) outcome.resolve('again');
    else finish([], 'cut');
  });
  outgoing.on('response', (response) => void readReply(response, finish));
  outgoing.on('upgrade', (response: IncomingMessage) => finish([replyOf(response, '')], 'left'));
  outgoing.end(body);
  const ended = await outcome.promise;
  clearTimeout(deadline);
  clearTimeout(leaving);
  return ended === 'again' ? viaHttp(url, step, true) : ended;
}

async function readReply(response: IncomingMessage, finish: (replies: readonly Reply[], end: Exchange['end']) => void): Promise<void> {
  const chunks: Buffer[] = [];
  let size = 0;
  const isFeed = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= maxKeptBytes) chunks.push(chunk);
      if (isFeed && goesOn.test(chunk.toString('utf8'))) return finish([replyOf(response, text())], 'left');
    }
    finish([replyOf(response, text())], response.complete ? 'whole' : 'cut');
  } catch {
    finish([replyOf(response, text())], 'cut');
  }
}

function replyOf({ statusCode = 0, headers }: IncomingMessage, text: string): Reply {
  return { status: statusCode, headers: new Map(Object.entries(headers).map(([name, value]) => [name, String(value)])), text };
}

function textOf(method: string, { target, headers, body }: Omit<Filled, 'method'>): Buffer {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'host: 127.0.0.1',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body.length > 0 ? [`content-length: ${body.length}`] : []),
    'connection: close',
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
}

function viaSocket(url: string, bytes: Buffer): Promise<Omit<Exchange, 'ms'>> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = createConnection({ host: hostname, port: Number(port) });
    const finish = (end: Exchange['end']): void => {
      clearTimeout(deadline);
      socket.destroy();
      resolve({ replies: parseReplies(Buffer.concat(chunks), end === 'whole'), end });
    };
    const deadline = setTimeout(() => finish('left'), rawDeadlineMs);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => finish('whole'));
    socket.write(bytes);
  });
}
