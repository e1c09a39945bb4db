import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

test('Providers and connections are asked for by their routes', async () => {
  const [row, account] = [{ name: 'github' }, { id: 'c1', state: 'connected' }];
  await using server = await startScriptedServer(
    jsonAnswer(200, { providers: [row] }),
    jsonAnswer(201, row),
    jsonAnswer(200, row),
    jsonAnswer(200, row),
    jsonAnswer(201, { url: 'https://gateway/connections/begin/x', expires_at: '2026-01-01T00:00:00Z' }),
    jsonAnswer(200, { connections: [account] }),
    jsonAnswer(200, { ...account, revoked: true }),
  );
  const { providers, connections } = new Invoq({ url: server.url, key: 'k' });
  expect((await providers.list()).providers).toEqual([row]);
  await providers.put('github', { preset: 'github', client_id: 'id' });
  await providers.get('a/b');
  await providers.delete('github');
  expect((await connections.create({ provider: 'github', return_to: 'https://app.example' })).url).toContain('/begin/');
  expect((await connections.list({ scope: 'tenant', provider: 'github' })).connections).toEqual([account]);
  expect((await connections.delete('c1')).revoked).toBe(true);
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /providers',
    'PUT /providers/github',
    'GET /providers/a%2Fb',
    'DELETE /providers/github',
    'POST /connections',
    'GET /connections?scope=tenant&provider=github',
    'DELETE /connections/c1',
  ]);
});
