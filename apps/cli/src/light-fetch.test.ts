// The same requests through the global fetch and through the light one, against a real server.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '#lib/testing';
import { lightFetch } from './light-fetch.js';

let base = '';
const server = createServer((request, response) => void answer(request, response));
const asked: string[] = [];
const closed: string[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '', method = '', headers } = request;
  asked.push(url);
  response.on('close', () => closed.push(url));
  if (url === '/moved') return void response.writeHead(307, { location: '/echo' }).end();
  if (url === '/seen') return void response.writeHead(303, { location: '/echo' }).end();
  if (url === '/made') return void response.writeHead(201, { location: '/echo' }).end('made');
  if (url === '/accepted') return void response.writeHead(202, { location: '/echo' }).end('accepted');
  if (url === '/none') return void response.writeHead(204).end();
  if (url === '/same') return void response.writeHead(304, { etag: '"one"' }).end();
  if (url === '/broken') return void response.writeHead(200, { 'content-length': '100' }).write('half', () => request.socket.destroy());
  if (url === '/slow') return void response.writeHead(200).write('one ');
  if (url === '/never') return;
  if (url === '/encoding') return void response.end(JSON.stringify(headers['accept-encoding']));
  const body = (await request.toArray()).join('');
  const { authorization, 'content-type': type, 'content-length': length, accept } = headers;
  response.setHeader('set-cookie', ['a=1', 'b=2']);
  response.writeHead(url === '/refused' ? 503 : 200, { 'content-type': 'application/json', 'retry-after': '7' });
  response.end(JSON.stringify({ url, method, body, authorization, type, length, accept }));
}

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address: AddressInfo | string | null = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function seen(request: typeof fetch, path: string, init?: RequestInit) {
  const response = await request(new URL(path, base), init);
  const { status, statusText, ok } = response;
  const headers = ['content-type', 'retry-after', 'etag'].map((name) => response.headers.get(name));
  return { status, statusText, ok, headers, cookies: response.headers.getSetCookie(), text: await response.text() };
}

const post = { method: 'POST', body: '{"city":"北京"}', headers: { authorization: 'Bearer k', 'content-type': 'application/json' } };

test.each<[string, RequestInit]>([
  ['/echo?a=%20b', {}],
  ['/echo', { headers: { accept: 'text/event-stream' } }],
  ['/echo', post],
  ['/refused', post],
  ['/echo', { method: 'DELETE' }],
  ['/none', {}],
  ['/same', { headers: { 'if-none-match': '"one"' } }],
  ['/made', post],
  ['/accepted', post],
  ['/moved', post],
  ['/seen', post],
  ['/echo', { method: 'POST', body: new Blob(['blob'], { type: 'text/csv' }) }],
])('%s %j is as with the global fetch', async (path, init) => {
  expect(await seen(lightFetch, path, init)).toEqual(await seen(fetch, path, init));
});

test('no encoding of the answer is asked for', async () => {
  expect(JSON.parse((await seen(lightFetch, '/encoding')).text)).toBe('identity');
});

test('what was accepted is not sent again', async () => {
  asked.splice(0);
  expect((await lightFetch(`${base}/accepted`, post)).status).toBe(202);
  expect(asked).toEqual(['/accepted']);
});

test('what is written is read before the answer has ended', async () => {
  const stop = new AbortController();
  const { body } = await lightFetch(`${base}/slow`, { signal: stop.signal });
  const reader = body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one ');
  const next = reader?.read();
  stop.abort();
  await expect(next).rejects.toThrow();
  await eventually(() => closed.includes('/slow'));
});

describe('rejects', () => {
  test('with the reason of the signal, before the request and while nothing is answered', async () => {
    const reason = new Error('enough');
    await expect(lightFetch(`${base}/echo`, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const stop = new AbortController();
    setTimeout(() => stop.abort(reason), 50);
    await expect(lightFetch(`${base}/never`, { signal: stop.signal })).rejects.toBe(reason);
  });

  test('with the fault of the connection', async () => {
    await expect(lightFetch('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(lightFetch('https://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const answer = await lightFetch(`${base}/broken`);
    await expect(answer.text()).rejects.toThrow();
  });
});
