import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const row = {
  name: 'issues',
  kind: 'mcp',
  approval: 2,
  url: 'https://mcp.example.com/mcp',
  connection: { provider: 'github', scopes: ['repo'] },
  may_ask: ['sampling', 'roots'],
  tools: [
    { name: 'list', state: 'served' },
    { name: 'odd', state: 'rejected', reason: 'its name is too long' },
  ],
};
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(args, { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin', APP: 'a1' });

test('a server is added with the accounts that its calls need, listed and removed', async () => {
  await using server = await startScriptedServer(jsonAnswer(201, row), jsonAnswer(200, { servers: [row] }), jsonAnswer(200, row));
  const options = [
    '--connection',
    'github',
    '--scopes',
    'repo, user',
    '--header',
    'x-app=APP',
    '--kind',
    'mcp',
    '--may-ask',
    'sampling, roots',
    '--app-domains',
    'https://a.example, https://*.b.example',
    '--app-permissions',
    'camera',
  ];
  const { stdout } = await run(server, 'servers', 'add', 'issues', row.url, ...options);
  expect(stdout).toContain('issues: 1 tools, approval 2, with accounts of callers at github');
  expect(stdout).toContain('left out: odd: its name is too long');
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    name: 'issues',
    url: row.url,
    kind: 'mcp',
    headers: { 'x-app': 'a1' },
    connection: { provider: 'github', scopes: ['repo', 'user'] },
    may_ask: ['sampling', 'roots'],
    apps: { domains: ['https://a.example', 'https://*.b.example'], permissions: ['camera'] },
  });
  expect(server.requests[0]?.headers.authorization).toBe('Bearer admin');
  expect((await run(server, 'servers', 'list')).stdout).toMatch(
    /^issues +mcp +2 +1 +github +sampling, roots +https:\/\/mcp\.example\.com\/mcp$/m,
  );
  expect((await run(server, 'servers', 'remove', 'issues')).stdout).toContain('Removed issues');
});

test('what no server can be allowed is a mistake, and a gateway before it allows nothing', async () => {
  await using server = await startScriptedServer(jsonAnswer(200, { servers: [{ ...row, may_ask: undefined }] }));
  expect((await run(server, 'servers', 'add', 'x', 'https://x', '--may-ask', 'sampling,secrets')).stderr).toContain('--may-ask');
  expect((await run(server, 'servers', 'add', 'x', 'https://x', '--app-permissions', 'usb')).stderr).toContain('--app-permissions');
  expect((await run(server, 'servers', 'list')).stdout).toMatch(/^issues +mcp/m);
});

test('scopes of no provider are a mistake', async () => {
  await using server = await startScriptedServer();
  expect((await run(server, 'servers', 'add', 'x', 'https://x', '--scopes', 'repo')).stderr).toContain('give --connection too');
});

const yaml = `
queries:
  - name: orders
    description: Orders of a country.
    sql: |
      SELECT id FROM orders
      WHERE country = :country
    parameters: { country: { description: Two letters } }
    max_rows: 50
`;

test('a database is added with the queries of a file, and its login is in a variable', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-queries-'));
  const path = join(folder.path, 'queries.yaml');
  writeFileSync(path, yaml);
  const warned = { ...row, name: 'shop', kind: 'sql', connection: null, registered: { warnings: ['The role shop can write.'] } };
  await using server = await startScriptedServer(jsonAnswer(201, warned));
  const address = 'postgres://reader:secret@db.example.com/shop';
  const environment = { INVOQ_URL: server.url, INVOQ_ADMIN_KEY: 'admin', SHOP: address };
  const command = ['servers', 'add', 'shop', '--kind', 'sql', '--database', 'SHOP', '--file', path];
  const { stdout } = await runCommandLine(command, environment);
  expect(stdout).toContain('warning: The role shop can write.');
  expect(stdout).not.toContain('secret');
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    name: 'shop',
    kind: 'sql',
    url: address,
    queries: [
      {
        name: 'orders',
        description: 'Orders of a country.',
        sql: 'SELECT id FROM orders\nWHERE country = :country\n',
        parameters: { country: { description: 'Two letters' } },
        max_rows: 50,
      },
    ],
  });
});

test.each([
  [['--kind', 'sql', '--file', 'a.yaml'], 'needs --database VARIABLE'],
  [['postgres://a:b@c/d', '--kind', 'sql', '--file', 'a.yaml'], 'in a variable of the environment'],
  [['--kind', 'sql', '--file', 'a.yaml', '--database', 'NONE'], 'NONE is not set'],
  [['--kind', 'sql', '--file', '/nowhere.yaml', '--database', 'APP'], 'cannot be read'],
  [['--file', 'a.yaml', 'https://x'], 'for the kind sql'],
  [[], 'give the address'],
])('%j is a mistake that is told', async (args, message) => {
  await using server = await startScriptedServer();
  expect((await run(server, 'servers', 'add', 'x', ...args)).stderr).toContain(message);
});
