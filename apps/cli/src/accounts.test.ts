import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const row = {
  name: 'github',
  kind: 'oauth2',
  issuer: null,
  token_endpoint: 'https://github.com/t',
  client_id: 'id',
  connections: 2,
  redirect_uri: 'https://i/cb',
};
const account = { id: 'c1', provider: 'github', user: 'acme/u', state: 'reconnect', scopes: ['repo'], reason: 'over' };
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(args, { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin' });

test('a provider is set up, listed and deleted with the key of an administrator', async () => {
  await using server = await startScriptedServer(jsonAnswer(201, row), jsonAnswer(200, { providers: [row] }), jsonAnswer(200, row));
  const made = await run(
    server,
    'providers',
    'put',
    'github',
    '--preset',
    'github',
    '--client-id',
    'id',
    '--client-secret',
    's',
    '--scopes',
    'repo, user',
  );
  expect(made.stdout).toContain('register the redirect URI https://i/cb');
  expect((await run(server, 'providers', 'list')).stdout).toMatch(/^github +oauth2 +https:\/\/github\.com\/t +id +2$/m);
  expect((await run(server, 'providers', 'delete', 'github')).stdout).toContain('Deleted github');
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    preset: 'github',
    client_id: 'id',
    client_secret: 's',
    scopes: ['repo', 'user'],
  });
  expect(server.requests[0]?.headers.authorization).toBe('Bearer admin');
  expect((await run(server, 'providers', 'put', 'x')).stderr).toContain('is needed');
});

test('an account is connected, listed and deleted with the key of its user', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(201, { url: 'https://i/connections/begin/x' }),
    jsonAnswer(200, { connections: [account] }),
    jsonAnswer(200, { ...account, revoked: true }),
  );
  expect((await run(server, 'connections', 'create', 'github')).stdout).toContain('https://i/connections/begin/x');
  expect((await run(server, 'connections', 'list')).stdout).toMatch(/^c1 +github +acme\/u +reconnect +repo +over$/m);
  expect((await run(server, 'connections', 'delete', 'c1')).stdout).toContain('its tokens are revoked');
  expect(server.requests[0]?.headers.authorization).toBe('Bearer user');
});
