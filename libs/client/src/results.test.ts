import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

test('Parts of results are asked for by their place', async () => {
  const part = { result_id: 'a/b', tool_name: 't', characters: 9, offset: 4, next_offset: null, text: '":1}' };
  await using server = await startScriptedServer(jsonAnswer(200, part), jsonAnswer(200, part));
  const invoq = new Invoq({ url: server.url, key: 'k' });
  expect(await invoq.result('a/b', { offset: 4, limit: 5 })).toEqual(part);
  await invoq.result('inv_1');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /results/a%2Fb?offset=4&limit=5',
    'GET /results/inv_1',
  ]);
});
