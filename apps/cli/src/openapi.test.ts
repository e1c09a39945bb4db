import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const row = {
  name: 'pets',
  base_url: 'https://pets.example.com/',
  operations: 3,
  tools: [
    { name: 'listPets', state: 'served' },
    { name: 'old', state: 'rejected', reason: 'its $ref leads nowhere' },
  ],
};
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(['openapi', 'add', ...args], { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin', PETS_KEY: 's3' });

test('a document is registered by its address, and what is left out is told', async () => {
  await using server = await startScriptedServer(jsonAnswer(201, row));
  const args = [
    'pets',
    'https://pets.example.com/openapi.json',
    '--include',
    'get*',
    '--include',
    'tag:pets',
    '--credential',
    'key=PETS_KEY',
  ];
  const { stdout } = await run(server, ...args);
  expect(stdout).toContain('pets: 1 tools of 3 operations, at https://pets.example.com/');
  expect(stdout).toContain('left out: old: its $ref leads nowhere');
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    name: 'pets',
    kind: 'openapi',
    url: 'https://pets.example.com/openapi.json',
    include: ['get*', 'tag:pets'],
    credentials: { key: 's3' },
  });
  expect(server.requests[0]?.headers.authorization).toBe('Bearer admin');
});

test('a document is registered from a file', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-openapi-'));
  const file = join(folder.path, 'pets.yaml');
  writeFileSync(file, 'openapi: 3.1.0\n');
  await using server = await startScriptedServer(jsonAnswer(201, row));
  await run(server, 'pets', file, '--base-url', 'https://pets.example.com');
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ document: 'openapi: 3.1.0\n', base_url: 'https://pets.example.com' });
});

test.each([
  [['pets', '/none.yaml'], 'cannot be read'],
  [['pets', 'https://x', '--header', 'authorization'], 'a name and a variable'],
  [['pets', 'https://x', '--credential', 'key=NOT_SET_ANYWHERE'], 'NOT_SET_ANYWHERE is not set'],
])('%j says what is wrong', async (args, words) => {
  await using server = await startScriptedServer();
  expect((await run(server, ...args)).stderr).toContain(words);
  expect(server.requests).toEqual([]);
});
