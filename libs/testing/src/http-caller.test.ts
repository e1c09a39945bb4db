import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { HttpCaller } from './http-caller.js';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('a caller over HTTP', () => {
  let server: Server;
  let base: string;
  let received: Received[];
  /** What the server answers next. */
  let answer: { readonly status?: number; readonly type?: string; readonly body?: string; readonly headers?: Record<string, string> };

  beforeAll(async () => {
    server = createServer((request, response) => {
      void text(request).then((sent) => {
        received.push({ method: request.method, url: request.url, headers: request.headers, body: sent });
        const { status = 200, type = 'application/json', body = '{}', headers = {} } = answer;
        response.writeHead(status, { 'content-type': type, ...headers }).end(body);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  });
  beforeEach(() => {
    received = [];
    answer = {};
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('sends its key as the bearer token, and JSON as JSON', async () => {
    await new HttpCaller(base, 'key-1').post('/tools/x', { a: 1 }, { prefer: 'wait=1' });
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/tools/x',
        body: '{"a":1}',
        headers: { authorization: 'Bearer key-1', 'content-type': 'application/json', prefer: 'wait=1' },
      },
    ]);
  });

  test('without a key sends none; get and delete have no body', async () => {
    const caller = new HttpCaller(base, null);
    await caller.get('/jobs');
    await caller.delete('/jobs/1');
    expect(received.map(({ method, body, headers }) => [method, body, headers.authorization, headers['content-type']])).toEqual([
      ['GET', '', undefined, undefined],
      ['DELETE', '', undefined, undefined],
    ]);
  });

  test('with more headers keeps its key, and headers of one request are stronger', async () => {
    const caller = new HttpCaller(base, 'key-1').with({ 'x-user-id': 'u', 'x-session-id': 's' });
    await caller.get('/', { 'x-session-id': 'other' });
    expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer key-1', 'x-user-id': 'u', 'x-session-id': 'other' });
  });

  test('sends a raw body as it is, with the content type that it is told', async () => {
    await new HttpCaller(base, null).request('/', { method: 'POST', raw: '{', headers: { 'content-type': 'text/plain' } });
    expect(received[0]).toMatchObject({ body: '{', headers: { 'content-type': 'text/plain' } });
  });

  test('reads a body as JSON where it says so, and follows no redirect', async () => {
    const caller = new HttpCaller(base, null);
    answer = { body: '{"n":1}', type: 'application/json; charset=utf-8' };
    expect((await caller.get('/')).as(z.object({ n: z.number() }))).toEqual({ n: 1 });
    answer = { status: 204, body: '' };
    expect(await caller.get('/')).toMatchObject({ status: 204, text: '', body: undefined });
    answer = { body: '<p>', type: 'text/html' };
    expect(await caller.get('/')).toMatchObject({ text: '<p>', body: undefined });
    answer = { status: 302, headers: { location: '/elsewhere' } };
    expect((await caller.get('/')).status).toBe(302);
  });

  test('takes nothing but an envelope as the answer of a call', async () => {
    const metadata = { tool_name: 'x', timestamp: '2026-01-01T00:00:00.000Z', trace_id: 'trace_1' };
    answer = { body: JSON.stringify({ success: true, status: 'success', data: { n: 1 }, metadata }) };
    const caller = new HttpCaller(base, null);
    expect((await caller.call('x', {})).envelope).toMatchObject({ success: true, data: { n: 1 }, error: undefined });
    expect(received[0]?.url).toBe('/tools/x');
    answer = { body: JSON.stringify({ success: true, status: 'success', data: {}, metadata, surprise: 1 }) };
    await expect(caller.call('x', {})).rejects.toThrow('surprise');
  });

  test('opens a stream, and tells what came instead of one', async () => {
    answer = { type: 'text/event-stream', body: 'event: a\ndata: 1\n\n' };
    const caller = new HttpCaller(base, null);
    await using stream = await caller.stream('/events');
    expect(await stream.rest()).toEqual([{ event: 'a', id: '', data: 1 }]);
    expect(received[0]?.headers.accept).toBe('text/event-stream');
    answer = { status: 404, body: '{"error":"no such job"}' };
    await expect(caller.stream('/events')).rejects.toThrow('/events gave no stream: 404 {"error":"no such job"}');
  });

  test('at another address keeps its headers', async () => {
    await new HttpCaller('http://127.0.0.1:1', 'key-1').at(base).get('/x');
    expect(received).toMatchObject([{ url: '/x', headers: { authorization: 'Bearer key-1' } }]);
  });
});
