import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from '../test-command-line.js';

const row = (version: string, facts: object = {}) => ({
  tenant_id: 'acme',
  domain: 'sales',
  name: 'make_quote',
  version,
  state: 'pending',
  announced_by: 'acme/*',
  announced_at: '2026-01-01T00:00:00.000Z',
  approved_by: null,
  approved_at: null,
  fingerprint: `${'ab12'.repeat(15)}${version.replaceAll('.', '')}0`,
  contract: { version, timeout_ms: 1_000 },
  ...facts,
});
const approved = { state: 'served', approved_by: 'admin', approved_at: '2026-01-01T00:00:00.000Z' };
const tools = [row('1.9.0', approved), row('1.10.0', { ...approved, contract: { version: '1.10.0', timeout_ms: 900 } }), row('1.11.0')];
const run = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(args, { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin' });

test('what waits for an approval is listed, and all on demand', async () => {
  await using server = await startScriptedServer(...Array.from({ length: 3 }, () => jsonAnswer(200, { tools })));
  const { stdout } = await run(server, 'approvals', '--tenant', 'acme');
  expect(stdout).toMatch(/^acme\/sales {2}make_quote@1\.11\.0 +pending {2}acme\/\* {2}2026-01-01T00:00:00\.000Z {2}ab12ab12ab12\n$/);
  expect((await run(server, 'approvals', '--all')).stdout.trimEnd().split('\n')).toHaveLength(3);
  expect(JSON.parse((await run(server, 'approvals', '--json')).stdout)).toEqual([tools[2]]);
  expect(server.requests.map(({ url }) => url)).toEqual(['/served-tools?tenant_id=acme', '/served-tools', '/served-tools']);
  expect(server.requests[0]?.headers.authorization).toBe('Bearer admin');
});

test('a version is shown against the newest that is approved, and approved by its fingerprint alone', async () => {
  await using server = await startScriptedServer(...Array.from({ length: 2 }, () => jsonAnswer(200, { tools })));
  server.answer(jsonAnswer(200, { ...tools[2], ...approved }));
  expect(await run(server, 'approve', 'make_quote@1.11.0')).toEqual({
    code: 0,
    stdout: '~ timeout_ms: 900 → 1000\n~ version: "1.10.0" → "1.11.0"\n',
    stderr:
      'make_quote@1.11.0 of acme, against 1.10.0:\nApprove it: invoq approve make_quote@1.11.0 --tenant acme --fingerprint ab12ab12ab12\n',
  });
  expect(server.requests).toHaveLength(1);
  const done = await run(server, 'approve', 'make_quote@1.11.0', '--fingerprint', 'ab12ab12ab12');
  expect(done).toEqual({ code: 0, stdout: 'Approved make_quote@1.11.0 of acme (served)\n', stderr: '' });
  expect(server.requests[2]).toMatchObject({ method: 'POST', url: '/served-tools/approvals' });
  expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual({
    tenant_id: 'acme',
    name: 'make_quote',
    version: '1.11.0',
    fingerprint: tools[2]?.fingerprint,
  });
});

test('what was announced anew is not approved by the fingerprint of what was read', async () => {
  await using server = await startScriptedServer(jsonAnswer(200, { tools }));
  const { code, stderr } = await run(server, 'approve', 'make_quote@1.11.0', '--fingerprint', '00000000');
  expect([code, stderr]).toEqual([1, expect.stringContaining('is another contract now')]);
  expect(server.requests).toHaveLength(1);
});

test.each([
  ['nothing@1.0.0', [], 'There is no nothing@1.0.0'],
  ['make_quote', [], 'make_quote is one of several: make_quote@1.9.0 of acme, '],
  ['make_quote@1.11.0', [row('1.11.0', { tenant_id: 'other' })], 'make_quote@1.11.0 of other. Name the version, and --tenant'],
])('%s names no tool, or several', async (id, more, message) => {
  await using server = await startScriptedServer(jsonAnswer(200, { tools: [...tools, ...more] }));
  expect(await run(server, 'approve', id)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
});
