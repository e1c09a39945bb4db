import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

test('Budgets are asked for by their routes', async () => {
  const row = { name: 'all' };
  await using server = await startScriptedServer(
    jsonAnswer(200, { budgets: [row] }),
    jsonAnswer(200, row),
    jsonAnswer(201, row),
    jsonAnswer(200, row),
  );
  const { budgets } = new Invoq({ url: server.url, key: 'k' });
  expect((await budgets.list()).budgets).toEqual([row]);
  await budgets.get('a/b');
  await budgets.put('all', { period: 'day', limit_micros: 1_000_000 });
  await budgets.delete('all');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /budgets',
    'GET /budgets/a%2Fb',
    'PUT /budgets/all',
    'DELETE /budgets/all',
  ]);
  expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual({ period: 'day', limit_micros: 1_000_000 });
});
