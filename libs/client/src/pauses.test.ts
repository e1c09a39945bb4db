import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

test('Pauses are asked for by their routes', async () => {
  const row = { name: 'all' };
  await using server = await startScriptedServer(
    jsonAnswer(200, { pauses: [row] }),
    jsonAnswer(200, row),
    jsonAnswer(201, row),
    jsonAnswer(200, row),
  );
  const { pauses } = new Invoq({ url: server.url, key: 'k' });
  expect((await pauses.list()).pauses).toEqual([row]);
  await pauses.get('a/b');
  await pauses.put('all', { tool: 'get_weather', reason: 'down' });
  await pauses.delete('all');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /pauses',
    'GET /pauses/a%2Fb',
    'PUT /pauses/all',
    'DELETE /pauses/all',
  ]);
  expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual({ tool: 'get_weather', reason: 'down' });
});
