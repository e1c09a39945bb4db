import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const row = { name: 'large', when: 'args.amount > 100', then: 'ask', message: null, problem: null };
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(args, { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin' });

test('a policy is made, listed and deleted with the key of an administrator', async () => {
  await using server = await startScriptedServer(jsonAnswer(201, row), jsonAnswer(200, { policies: [row] }), jsonAnswer(200, row));
  const made = await run(server, 'policies', 'put', 'large', '--when', row.when, '--then', 'ask', '--expires', '5000', '--self');
  expect(made.stdout).toContain('a person is asked when args.amount > 100');
  expect((await run(server, 'policies', 'list')).stdout).toMatch(/^large +ask +args\.amount > 100 +-$/m);
  expect((await run(server, 'policies', 'delete', 'large')).stdout).toContain('Deleted large');
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'PUT /policies/large',
    'GET /policies',
    'DELETE /policies/large',
  ]);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ when: row.when, then: 'ask', expires_ms: 5_000, self: true });
  expect(server.requests[0]?.headers.authorization).toBe('Bearer admin');
});

test('a trial says what becomes of the call, and why', async () => {
  const verdict = {
    outcome: 'ask',
    policy: 'large',
    message: 'May it?',
    policies: [
      { name: 'large', then: 'ask', holds: true, error: null, because: [{ part: 'args.amount > 100', value: true }], cost_us: 1.5 },
      { name: 'odd', then: 'deny', holds: null, error: 'No such key: x', because: [{ part: 'args.x == 1', value: null }], cost_us: 2 },
    ],
  };
  await using server = await startScriptedServer(jsonAnswer(200, verdict));
  const { stdout } = await run(server, 'policies', 'test', 'refund', '--arguments', '{"amount":500}', '--tier', 'free');
  expect(stdout.trimEnd().split('\n')).toEqual([
    'ask by large "May it?"',
    '  large: holds (1.5 µs)',
    '    true  args.amount > 100',
    '  odd: No such key: x (2 µs)',
    '    ?  args.x == 1',
  ]);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ tool: 'refund', arguments: { amount: 500 }, caller: { tier: 'free' } });
  const wrong = await run(server, 'policies', 'test', 'refund', '--arguments', 'amount');
  expect(wrong.stderr).toContain('--arguments must be a JSON object');
  expect((await run(server, 'policies', 'put', 'x', '--when', 'true')).stderr).toContain('--when and --then are needed');
});
