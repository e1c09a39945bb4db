import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const tool = (name: string) => ({ name, title: `Title of ${name}`, version: '1.0.0', description: 'Does it.', read_only: true });
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(['server-json', ...args], { INVOQ_URL: server.url, INVOQ_API_KEY: 'user' });

/** What the schema of the registry of 2025-12-11 asks of an entry, where this makes one. */
const entry = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255),
  remotes: z.array(
    z.strictObject({
      type: z.literal('streamable-http'),
      url: z.string().regex(/^https?:\/\/[^\s]+$/),
      headers: z.array(
        z.looseObject({ name: z.literal('Authorization'), isSecret: z.literal(true), value: z.literal('Bearer {api_key}') }),
      ),
    }),
  ),
  _meta: z.strictObject({
    'io.modelcontextprotocol.registry/publisher-provided': z.strictObject({
      tools: z.array(z.strictObject({ name: z.string(), title: z.string(), read_only: z.boolean() })),
    }),
  }),
});
const read = (text: string) => entry.parse(JSON.parse(text));

test('the entry of a gateway has its address, its tools and the header that it needs', async () => {
  await using server = await startScriptedServer(jsonAnswer(200, { tools: [tool('get_weather'), tool('search')] }));
  const { stdout } = await run(
    server,
    'com.example/tools',
    '--url',
    'https://tools.example.com/base/?x#y',
    '--version',
    '1.2.3',
    '--set',
    'shop',
  );
  const made = read(stdout);
  expect(made).toMatchObject({ name: 'com.example/tools', title: 'Invoq', description: '2 tools: get_weather, search', version: '1.2.3' });
  expect(made.remotes[0]?.url).toBe('https://tools.example.com/base/mcp?set=shop');
  expect(server.requests.map(({ url }) => url)).toEqual(['/tools?set=shop']);
  expect(stdout).not.toContain('user');
});

test('an entry of a thousand tools is as small as the registry allows', async () => {
  const many = Array.from({ length: 1_000 }, (_, index) => tool(`outside__tool_number_${index}`));
  await using server = await startScriptedServer(jsonAnswer(200, { tools: many }), jsonAnswer(200, { tools: [tool('n'.repeat(100))] }));
  const made = read((await run(server, 'io.github.acme/all')).stdout);
  expect(made.description).toMatch(/^1000 tools: outside__tool_number_0, .*, …$/);
  expect(Buffer.byteLength(JSON.stringify(made._meta))).toBeLessThan(4_096);
  expect(made.remotes[0]?.url).toBe(`${server.url}/mcp`);
  expect(read((await run(server, 'io.github.acme/one')).stdout).description).toBe('1 tool');
});

test.each<readonly [args: readonly string[], why: string]>([
  [['tools'], 'com.example/tools'],
  [['a/b/c'], 'com.example/tools'],
  [['com.example/tools', '--description', 'x'.repeat(101)], '--description must have 1 to 100'],
  [['com.example/tools', '--title', ''], '--title must have 1 to 100'],
  ...['', 'latest', '^1.2.3', '~1', '>=1.0.0', '1.x', '1.*', '1 || 2', 'v'.repeat(256)].map(
    (version) => [['com.example/tools', '--version', version], '--version must be one version'] as const,
  ),
  [['com.example/tools', '--url', 'ftp://x'], '--url must be an address'],
])('what is wrong with %j is told', async (args, why) => {
  await using server = await startScriptedServer(jsonAnswer(200, { tools: [tool('a')] }));
  expect((await run(server, ...args)).stderr).toContain(why);
});

test('nothing is published of a key without tools', async () => {
  await using server = await startScriptedServer(jsonAnswer(200, { tools: [] }));
  expect((await run(server, 'com.example/tools')).stderr).toContain('sees no tool');
});
