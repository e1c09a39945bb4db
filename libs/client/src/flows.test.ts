import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

test('Flows are asked for by their routes', async () => {
  const row = { name: 'all' };
  await using server = await startScriptedServer(
    jsonAnswer(200, { flows: [row] }),
    jsonAnswer(200, row),
    jsonAnswer(201, row),
    jsonAnswer(200, row),
    jsonAnswer(200, { lines: [], total: 0 }),
  );
  const { flows } = new Invoq({ url: server.url, key: 'k' });
  expect((await flows.list()).flows).toEqual([row]);
  await flows.get('a/b');
  await flows.put('all', { tool: 'get_weather', concurrency: 1 });
  await flows.delete('all');
  expect(await flows.lines({ flow: 'a b', limit: 5 })).toEqual({ lines: [], total: 0 });
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /flows',
    'GET /flows/a%2Fb',
    'PUT /flows/all',
    'DELETE /flows/all',
    'GET /flow-lines?flow=a+b&limit=5',
  ]);
  expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual({ tool: 'get_weather', concurrency: 1 });
});
