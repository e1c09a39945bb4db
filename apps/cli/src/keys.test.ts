import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const key = {
  id: 'k1',
  prefix: 'invoq_k1',
  tenant_id: 'acme',
  user_id: null,
  tier: 'pro',
  scopes: ['tools:call', 'admin'],
  created_at: '2026-01-01T00:00:00Z',
  expires_at: null,
  revoked_at: null,
};

test('keys are listed with their owner and state, as the administrator', async () => {
  const keys = [
    key,
    { ...key, id: 'k2', user_id: 'u', revoked_at: '2026-01-02T00:00:00Z', expires_at: '2020-01-01T00:00:00Z' },
    { ...key, id: 'k3', expires_at: '2020-01-01T00:00:00Z' },
    { ...key, id: 'k4', expires_at: '9999-01-01T00:00:00Z' },
  ];
  await using server = await startScriptedServer(jsonAnswer(200, { keys }), jsonAnswer(200, { keys }));
  const environment = { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin' };
  const { stdout } = await runCommandLine(['keys', 'list'], environment);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'k1  active   acme/*  pro  tools:call admin',
    'k2  revoked  acme/u  pro  tools:call admin',
    'k3  expired  acme/*  pro  tools:call admin',
    'k4  active   acme/*  pro  tools:call admin',
  ]);
  expect(JSON.parse((await runCommandLine(['keys', 'list', '--json'], environment)).stdout)).toEqual(keys);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer admin', 'Bearer admin']);
});

test('a key is created with what was asked for, and stands alone on standard output', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(201, { ...key, key: 'invoq_k1_secret' }),
    jsonAnswer(201, { ...key, key: 'invoq_k1_secret' }),
    jsonAnswer(201, { ...key, key: 'invoq_k1_secret' }),
  );
  const environment = { INVOQ_URL: server.url, INVOQ_API_KEY: 'admin' };
  const line = 'keys create --tenant acme --user u --tier vip --scope a --scope b --expires 2030-01-01T00:00:00Z';
  expect(await runCommandLine(line.split(' '), environment)).toEqual({
    code: 0,
    stdout: 'invoq_k1_secret\n',
    stderr: 'Created the key k1\n',
  });
  await runCommandLine(['keys', 'create', '--tenant', 'acme', '--scope', 'a'], environment);
  await runCommandLine('keys create --tenant acme --scope a --serves sales --serves stock --approves-tools'.split(' '), environment);
  expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([
    { tenant_id: 'acme', user_id: 'u', tier: 'vip', scopes: ['a', 'b'], expires_at: '2030-01-01T00:00:00Z' },
    { tenant_id: 'acme', tier: 'free', scopes: ['a'] },
    { tenant_id: 'acme', tier: 'free', scopes: ['a'], serves: ['sales', 'stock'], approves_tools: true },
  ]);
  expect(server.requests[0]?.headers.authorization).toBe('Bearer admin');
});

test.each([
  [['create', '--scope', 'a'], /--tenant is missing/],
  [['create', '--tenant', 'acme'], /--scope is missing/],
  [['create', '--tenant', 'acme', '--scope', 'a', '--tier', 'gold'], /--tier must be one of free, pro, vip, not 'gold'/],
  [['revoke'], /<id> is missing/],
])('keys %j is wrong usage and makes nothing', async (args, message) => {
  await using server = await startScriptedServer();
  const result = await runCommandLine(['keys', ...args], { INVOQ_URL: server.url });
  expect(result).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  expect(server.requests).toEqual([]);
});

test('a key is revoked by its id', async () => {
  await using server = await startScriptedServer(jsonAnswer(200, key));
  expect(await runCommandLine(['keys', 'revoke', 'k1'], { INVOQ_URL: server.url })).toMatchObject({ code: 0, stdout: 'Revoked k1\n' });
  expect(server.requests).toMatchObject([{ method: 'DELETE', url: '/keys/k1' }]);
});
