import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

test('Policies are asked for by their routes', async () => {
  const row = { name: 'large' };
  const verdict = { outcome: 'ask', policy: 'large', message: null, policies: [] };
  await using server = await startScriptedServer(
    jsonAnswer(200, { policies: [row] }),
    jsonAnswer(200, row),
    jsonAnswer(201, row),
    jsonAnswer(200, verdict),
    jsonAnswer(200, row),
  );
  const { policies } = new Invoq({ url: server.url, key: 'k' });
  expect((await policies.list()).policies).toEqual([row]);
  await policies.get('a/b');
  await policies.put('large', { when: 'args.amount > 100', then: 'ask' });
  expect(await policies.test({ tool: 'refund', arguments: { amount: 500 } })).toEqual(verdict);
  await policies.delete('large');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /policies',
    'GET /policies/a%2Fb',
    'PUT /policies/large',
    'POST /policies/test',
    'DELETE /policies/large',
  ]);
  expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual({ when: 'args.amount > 100', then: 'ask' });
});
