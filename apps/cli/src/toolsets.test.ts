import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const row = { name: 'support', tools: ['crm__*'], rename: {}, prefix: 'x_', read_only: true, offers: 2, problems: [] };
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(args, { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin' });

test('a set of tools is made, listed, shown and deleted with the key of an administrator', async () => {
  const seen = {
    tools: [{ name: 'x_make', tool: 'crm__create', effect: 'write', definition: {}, tokens: 120, answer_tokens: 50 }],
    tokens: 120,
    problems: [{ tool: 'crm__find', name: 'x_find', reason: 'x_find answers to this name' }],
  };
  await using server = await startScriptedServer(
    jsonAnswer(201, row),
    jsonAnswer(200, { toolsets: [row] }),
    jsonAnswer(200, seen),
    jsonAnswer(200, row),
  );
  const rename = 'crm__create=make, crm__find=find';
  const made = await run(server, 'toolsets', 'put', 'support', '--tools', 'crm__*', '--rename', rename, '--prefix', 'x_', '--read-only');
  expect(made.stdout.trim()).toBe('support offers 2 tools, at /mcp?set=support');
  expect((await run(server, 'toolsets', 'list')).stdout).toMatch(/^support +crm__\* \(read only\) +x_ +2 +0$/m);
  const shown = await run(server, 'toolsets', 'preview', 'support', '--format', 'openai');
  expect(shown.stdout).toMatch(/^x_make +crm__create +write +120 +50$/m);
  expect(shown.stdout).toContain('1 tool, 120 tokens');
  expect(shown.stderr).toContain('crm__find is not offered as x_find: x_find answers to this name');
  expect((await run(server, 'toolsets', 'delete', 'support')).stdout).toContain('Deleted support');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'PUT /toolsets/support',
    'GET /toolsets',
    'GET /toolsets/support/preview?format=openai',
    'DELETE /toolsets/support',
  ]);
  const names = { crm__create: 'make', crm__find: 'find' };
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ tools: ['crm__*'], rename: names, prefix: 'x_', read_only: true });
  expect(server.requests[0]?.headers.authorization).toBe('Bearer admin');
});

test.each([
  [[], '--tools is needed'],
  [['--tools', 'a', '--rename', 'a'], '--rename must be pairs'],
  [['--tools', 'a', '--rename', 'a='], '--rename must be pairs'],
])('what is wrong with %j is told', async (options, why) => {
  await using server = await startScriptedServer();
  expect((await run(server, 'toolsets', 'put', 'x', ...options)).stderr).toContain(why);
  expect(server.requests).toEqual([]);
});
