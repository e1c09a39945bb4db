import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from './test-command-line.js';

const row = (facts: object = {}) => ({
  id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  kind: 'approval',
  tool_name: 'refund',
  job_id: 'inv_1',
  message: 'Pay this back?',
  requested_by: 'acme/u',
  expires_at: '2030-01-01T06:00:00.000Z',
  state: 'open',
  arguments: { amount: 5 },
  ...facts,
});
const pagination = { has_more: false, next_cursor: null };
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(args, { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin' });

test('what waits is listed, and one is shown', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(200, { input_requests: [row()], pagination }),
    jsonAnswer(200, { input_requests: [row()], pagination }),
    jsonAnswer(200, row()),
  );
  const { stdout } = await run(server, 'inputs', 'list');
  expect(stdout.split('\n')[1]).toMatch(/^3fa85f64-\S+ +refund +acme\/u +2030-01-01T06:00:00\.000Z +open +Pay this back\?$/);
  const listed = await run(server, 'inputs', 'list', '--all', '--state', 'declined', '--kind', 'approval', '--tool', 'refund', '--json');
  expect(JSON.parse(listed.stdout)).toEqual([row()]);
  expect(JSON.parse((await run(server, 'inputs', 'show', row().id)).stdout)).toEqual(row());
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/input-requests?state=open&limit=100',
    '/input-requests?scope=tenant&state=declined&kind=approval&tool=refund&limit=100',
    `/input-requests/${row().id}`,
  ]);
});

test('one is accepted, also with other parameters, and one is declined', async () => {
  await using server = await startScriptedServer(jsonAnswer(200, row()), jsonAnswer(200, row()), jsonAnswer(200, row()));
  expect((await run(server, 'inputs', 'accept', row().id)).stdout).toContain('invoq jobs follow inv_1');
  await run(server, 'inputs', 'accept', row().id, '--arguments', '{"amount":3}', '--reason', 'fair');
  await run(server, 'inputs', 'decline', row().id, '--reason', 'too dear');
  expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([
    { action: 'accept' },
    { action: 'accept', content: { arguments: { amount: 3 } }, reason: 'fair' },
    { action: 'decline', reason: 'too dear' },
  ]);
  const wrong = await run(server, 'inputs', 'accept', row().id, '--arguments', '[]');
  const both = await run(server, 'inputs', 'accept', row().id, '--arguments', '{}', '--content', '{}');
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('not both')]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--arguments must be a JSON object')]);
});

test('a question is answered', async () => {
  await using server = await startScriptedServer(jsonAnswer(200, row({ kind: 'question' })));
  await run(server, 'inputs', 'accept', row().id, '--content', '{"size":"m"}');
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ action: 'accept', content: { size: 'm' } });
});
