import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

test('Input requests are asked for by their routes, and a decision is sent once', async () => {
  const row = { id: 'a', state: 'accepted' };
  const refused = {
    success: false,
    status: 'error',
    error: { code: 'CONFLICT', message: 'x', retryable: false, state: 'declined', decided_by: 't/b' },
    metadata: {},
  };
  await using server = await startScriptedServer(
    jsonAnswer(200, { input_requests: [row], pagination: { has_more: false, next_cursor: null } }),
    jsonAnswer(200, row),
    jsonAnswer(200, row),
    jsonAnswer(409, refused),
  );
  const { inputRequests } = new Invoq({ url: server.url, key: 'k' });
  expect((await inputRequests.list({ scope: 'tenant', state: 'open', kind: 'approval', tool: 't', limit: 5 })).input_requests).toEqual([
    row,
  ]);
  await inputRequests.get('a/b');
  await inputRequests.decide('a', { action: 'accept', content: { arguments: { n: 1 } }, reason: 'fair' });
  await expect(inputRequests.decide('a', { action: 'decline' })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /input-requests?scope=tenant&state=open&kind=approval&tool=t&limit=5',
    'GET /input-requests/a%2Fb',
    'POST /input-requests/a',
    'POST /input-requests/a',
  ]);
  expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual({ action: 'accept', content: { arguments: { n: 1 } }, reason: 'fair' });
});
