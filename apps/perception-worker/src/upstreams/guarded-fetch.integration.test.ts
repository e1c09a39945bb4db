import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { expect, test } from '@jest/globals';
import { guardedFetch, maxAnswerBytes } from './guarded-fetch.js';

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

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

test('a redirect is followed with its method and body, three times and no more', async () => {
  let hops = 0;
  const seen: string[] = [];
  await using server = await serve((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      seen.push(`${request.method} ${Buffer.concat(chunks).toString()}`);
      if (hops-- > 0) response.writeHead(307, { location: '/again' }).end();
      else response.end('there');
    })();
  });
  const fetch = guardedFetch(development, { home: server.url, headers: { 'x-key': 'k' } });
  hops = 3;
  expect(await (await fetch(server.url, { method: 'POST', body: 'b' })).text()).toBe('there');
  expect(new Set(seen)).toEqual(new Set(['POST b']));
  hops = 10;
  await expect(fetch(server.url, { method: 'POST', body: 'b' })).rejects.toThrow(/redirects more than 3/);
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
  expect(maxAnswerBytes).toBeLessThan(8 * 1024 * 1024);
});
