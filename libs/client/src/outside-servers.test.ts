import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

test('Outside servers are asked for by their routes', async () => {
  const row = { name: 'pets' };
  await using server = await startScriptedServer(
    jsonAnswer(201, row),
    jsonAnswer(200, { servers: [row] }),
    jsonAnswer(200, row),
    jsonAnswer(200, row),
  );
  const { outsideServers } = new Invoq({ url: server.url, key: 'k' });
  const order = { name: 'pets', kind: 'openapi', url: 'https://pets.example.com/openapi.json', include: ['get*'] } as const;
  await outsideServers.register(order);
  expect(await outsideServers.list()).toEqual([row]);
  await outsideServers.get('a/b');
  await outsideServers.remove('pets');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /mcp/servers',
    'GET /mcp/servers',
    'GET /mcp/servers/a%2Fb',
    'DELETE /mcp/servers/pets',
  ]);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(order);
});
