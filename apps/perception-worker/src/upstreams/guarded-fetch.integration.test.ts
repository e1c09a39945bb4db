import { hostname } from 'node:os';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { serve, json } from '../test-server.js';
import { AddressRefused } from '#lib/platform';
import { guardedFetch, maxAnswerBytes } from './guarded-fetch.js';

const development = { allowedHosts: [], allowPrivate: true };

test('a name that resolves to a private address is not connected to', async () => {
  await using server = await serve((_request, response) => response.end('inside'));
  // The name is judged by what it resolves to at the moment of connecting, not by how it looks.
  const home = new URL(`https://${hostname()}.:${server.port}/`);
  const fetch = guardedFetch({ allowedHosts: [], allowPrivate: false }, { home, headers: {} });
  await expect(fetch(home)).rejects.toMatchObject({
    cause: expect.objectContaining({ name: expect.stringMatching(/AddressRefused|Error/) }),
  });
});

const fetchAt = (home: URL, headers: Readonly<Record<string, string>> = {}) => guardedFetch(development, { home, headers });

describe('a redirect', () => {
  test.each([307, 308])('with status %i is followed with its method and body, three times and no more', async (status) => {
    let hops = 3;
    await using server = await serve((_request, response) => {
      if (hops-- > 0) response.writeHead(status, { location: '/again' }).end();
      else response.end('there');
    });
    const fetch = fetchAt(server.url);
    expect(await (await fetch(server.url, { method: 'POST', body: 'b' })).text()).toBe('there');
    expect(server.requests).toEqual(['POST / b', 'POST /again b', 'POST /again b', 'POST /again b']);
    hops = 4;
    await expect(fetch(server.url, { method: 'POST', body: 'b' })).rejects.toThrow(/redirects more than 3/);
  });

  test.each([301, 302, 303])('with status %i is followed for a GET, and given back for a POST', async (status) => {
    await using server = await serve((request, response) => {
      if (request.url === '/') response.writeHead(status, { location: '/there' }).end();
      else response.end('there');
    });
    expect(await (await fetchAt(server.url)(server.url)).text()).toBe('there');
    expect(await fetchAt(server.url)(server.url, { method: 'POST', body: 'b' })).toMatchObject({ status });
    expect(server.requests).toEqual(['GET /', 'GET /there', 'POST / b']);
  });

  test('without a location is an answer', async () => {
    await using server = await serve(json({ here: true }, 302));
    expect(await (await fetchAt(server.url)(server.url)).json()).toEqual({ here: true });
  });

  test('to another origin loses the headers of the server', async () => {
    const keys: (string | undefined)[] = [];
    await using other = await serve((request, response) => {
      keys.push(String(request.headers['x-key']), String(request.headers['x-own']));
      response.end();
    });
    await using server = await serve((_request, response) => response.writeHead(307, { location: other.url.href }).end());
    await fetchAt(server.url, { 'x-key': 'secret' })(server.url, { headers: { 'x-own': 'o' } });
    expect(keys).toEqual(['undefined', 'o']);
  });

  test.each([
    ['ftp://example.com/', /scheme ftp/],
    ['http://user:pass@example.com/', /credential/],
    ['http://not.allowed.example/', /allow-list/],
  ])('to %s is refused', async (location, message) => {
    await using server = await serve((_request, response) => response.writeHead(307, { location }).end());
    const fetch = guardedFetch({ allowedHosts: ['127.0.0.1'], allowPrivate: true }, { home: server.url, headers: {} });
    await expect(fetch(server.url)).rejects.toThrow(AddressRefused);
    await expect(fetch(server.url)).rejects.toThrow(message);
  });
});

describe('a request', () => {
  test('has the headers of its server before its own of the same name', async () => {
    let got: string | string[] | undefined;
    await using server = await serve((request, response) => {
      got = request.headers['x-key'];
      response.end();
    });
    await fetchAt(server.url, { 'x-key': 'configured' })(server.url, { headers: { 'x-key': 'given' } });
    expect(got).toBe('configured');
  });

  test('has no trace headers of its own: the tracing adds them, and two values in one header are none', async () => {
    let got: object = {};
    await using server = await serve((request, response) => {
      got = request.headers;
      response.end();
    });
    const traced = { traceparent: 'given', Tracestate: 'given', 'x-kept': 'k' };
    await fetchAt(server.url, traced)(server.url, { headers: traced });
    expect(got).toMatchObject({ 'x-kept': 'k' });
    expect(got).not.toHaveProperty('traceparent');
    expect(got).not.toHaveProperty('tracestate');
  });

  test('has a header once, however its server and the request spell it', async () => {
    let got: unknown;
    await using server = await serve((request, response) => {
      got = request.headers['x-key'];
      response.end();
    });
    await fetchAt(server.url, { 'X-Key': 'configured' })(server.url, { headers: { 'x-key': 'given' } });
    expect(got).toBe('configured');
  });

  test('to an address that may not be asked is not sent', async () => {
    await using server = await serve(json({}));
    const fetch = guardedFetch({ allowedHosts: [], allowPrivate: false }, { home: server.url, headers: {} });
    await expect(fetch(server.url)).rejects.toThrow(/private network/);
    expect(server.requests).toEqual([]);
  });

  test('ends with its signal', async () => {
    await using server = await serve(() => undefined);
    const stop = new AbortController();
    const asking = fetchAt(server.url)(server.url, { signal: stop.signal });
    stop.abort(new Error('gone'));
    await expect(asking).rejects.toThrow();
  });

  test.each([204, 205, 304])('may be answered with status %i and nothing', async (status) => {
    await using server = await serve((_request, response) => response.writeHead(status).end());
    const response = await fetchAt(server.url)(server.url);
    expect([response.status, await response.text()]).toEqual([status, '']);
  });
});

test('an answer without end is cut off', async () => {
  await using server = await serve((_request, response) => {
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  });
  const response = await guardedFetch(development, { home: server.url, headers: {} })(server.url);
  await expect(response.text()).rejects.toThrow();
  expect(maxAnswerBytes).toBeLessThan(20 * 1024 * 1024);
});

describe('a compressed answer', () => {
  // At the quickest level, and once for all tests: how well it is packed makes no difference.
  const gzipped = new Map<number, Buffer>();
  const gzip = (bytes: Buffer): Buffer => {
    const known = gzipped.get(bytes.length) ?? gzipSync(bytes, { level: 1 });
    gzipped.set(bytes.length, known);
    return known;
  };
  test.each([
    ['gzip', gzip],
    ['x-gzip', gzip],
    ['deflate', (bytes: Buffer) => deflateSync(bytes, { level: 1 })],
    // Its best quality, which is the default, takes seconds.
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['gzip, gzip', (bytes: Buffer) => gzipSync(gzip(bytes))],
  ])('in %s is bounded by its decoded size', async (encoding, encode) => {
    const answerOf = async (size: number) => {
      const body = encode(Buffer.alloc(size));
      await using server = await serve((_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));
      return (await (await fetchAt(server.url)(server.url)).arrayBuffer()).byteLength;
    };
    expect(await answerOf(maxAnswerBytes)).toBe(maxAnswerBytes);
    await expect(answerOf(maxAnswerBytes + 1)).rejects.toThrow(`more than ${maxAnswerBytes} bytes`);
    await expect(answerOf(3 * maxAnswerBytes)).rejects.toThrow(`more than ${maxAnswerBytes} bytes`);
  });

  test('without end that decodes to nothing is cut off too', async () => {
    // Flushed again and again, a gzip stream grows by empty blocks.
    const empty = Buffer.concat(Array.from({ length: 13_000 }, () => Buffer.from([0, 0, 0, 0xff, 0xff])));
    await using server = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('').subarray(0, 10));
      const more = () => {
        while (!response.destroyed && response.write(empty));
      };
      response.on('drain', more);
      more();
    });
    await expect((await fetchAt(server.url)(server.url)).text()).rejects.toThrow();
  });
});
