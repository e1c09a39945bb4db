// Sends an answer, whole or with a fault.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Fault } from './faults.js';
import type { StripeAnswer } from './stripe-answer.js';

const json = { 'content-type': 'application/json' };

export async function send(response: ServerResponse, { status, body, headers }: StripeAnswer, fault: Fault | null): Promise<void> {
  const text = JSON.stringify(body, null, 2);
  switch (fault?.kind) {
    case 'reset-before':
    case 'reset-after':
      response.socket?.resetAndDestroy();
      return;
    case 'hang':
    case 'hang-after':
      return;
    case 'html':
      response.writeHead(fault.status, { ...headers, 'content-type': 'text/html' }).end('<!doctype html><h1>sk_live_leak Bad gateway</h1>');
      return;
    case 'truncated':
      response.writeHead(status, { ...headers, ...json }).end(text.slice(0, text.length / 2));
      return;
    case 'short':
      response.writeHead(status, { ...headers, ...json, 'content-length': Buffer.byteLength(text) });
      response.write(text.slice(0, text.length / 2), () => response.socket?.end());
      return;
    case 'huge':
      return sendHuge(response, fault.bytes, headers);
    case 'gzip-bomb':
      response.writeHead(status, { ...headers, ...json, 'content-encoding': 'gzip' }).end(bombOf(fault.bytes));
      return;
    case 'drip':
      response.writeHead(status, { ...headers, ...json });
      for (const character of text) {
        if (response.destroyed) return;
        response.write(character);
        await sleep(fault.everyMs);
      }
      response.end();
      return;
    case 'redirect':
      response.writeHead(302, { ...headers, location: fault.to }).end();
      return;
    case 'wrong-shape':
      response.writeHead(status, { ...headers, ...json }).end('{"object":"list","data":[]}');
      return;
    default:
      response.writeHead(status, { ...headers, ...json }).end(text);
  }
}

/** Made once for each size: making one keeps this process busy for so long that other answers come too late. */
const bombs = new Map<number, Buffer>();

function bombOf(bytes: number): Buffer {
  const bomb = bombs.get(bytes) ?? gzipSync(Buffer.alloc(bytes, ' '));
  bombs.set(bytes, bomb);
  return bomb;
}

/** Streams a JSON object of so many bytes, no faster than the client reads. */
async function sendHuge(response: ServerResponse, bytes: number, headers: StripeAnswer['headers']): Promise<void> {
  response.writeHead(200, { ...headers, ...json });
  response.write('{"filling":"');
  const piece = 'x'.repeat(65_536);
  for (let sent = 0; sent < bytes && !response.destroyed; sent += piece.length) {
    if (!response.write(piece)) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), sleep(1_000)]);
  }
  response.end('"}');
}
