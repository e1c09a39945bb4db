import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from '../test-command-line.js';

const run = (server: ScriptedServer, line: string) =>
  runCommandLine(line.split(' '), { INVOQ_URL: server.url, INVOQ_API_KEY: 'user', INVOQ_ADMIN_KEY: 'admin' });
const lines = ({ stdout }: { readonly stdout: string }) => stdout.trimEnd().split('\n');
const last = { has_more: false, next_cursor: null };

const sum = {
  day: '2026-01-31',
  tool_name: 'calc_metrics',
  calls: 1200,
  completed: 1100,
  failed: 90,
  cancelled: 10,
  attempts: 1234,
  execution_ms: 3000,
  p95_ms: 7.4,
  input_tokens: 0,
  output_tokens: 5,
  cost_micros: 1_250_000,
};
const call = {
  job_id: 'inv_1',
  tool_name: 't',
  state: 'failed',
  error: { code: 'RESOURCE_NOT_FOUND', native_code: 'SOLD_OUT' },
  tenant_id: 'acme',
  user_id: null,
  trace_id: 'trace_1',
  finished_at: '2026-01-31T00:00:00.000Z',
  duration_ms: 12.34,
};
const change = {
  at: '2026-01-31T00:00:00.000Z',
  actor: 'acme/key:k1',
  application: 'gateway',
  action: 'api_key.update',
  subject: 'k2',
  tenant_id: 'acme',
  changed: ['revoked_at', 'tier'],
  facts: { id: 'k2' },
};

test("sums are a table by what was asked for: one's own with one's own key, those of others as the administrator", async () => {
  const page = jsonAnswer(200, { from: '', to: '', sums: [sum], pagination: last });
  await using server = await startScriptedServer(page, page, page);
  expect(lines(await run(server, 'usage'))).toEqual([
    'day         tool          calls  failed  cancelled  attempts  mean ms  p95 ms  input tokens  output tokens  cost',
    '2026-01-31  calc_metrics   1200      90         10      1234      2.5     7.4             0              5  $1.25',
  ]);
  const { stdout } = await run(server, 'usage --by user,tenant --tenant acme --user u --tool t --from 2026-01-01 --to 2026-01-31 --json');
  expect(JSON.parse(stdout)).toEqual([sum]);
  await run(server, 'usage --scope tenant');
  expect(server.requests.map(({ url, headers }) => [headers.authorization, url])).toEqual([
    ['Bearer user', '/usage/calls?by=day%2Ctool&scope=mine&limit=100'],
    ['Bearer admin', '/usage/calls?by=user%2Ctenant&scope=all&tenant=acme&tool=t&user=u&from=2026-01-01&to=2026-01-31&limit=100'],
    ['Bearer admin', '/usage/calls?by=day%2Ctool&scope=tenant&limit=100'],
  ]);
});

test('the history has a line for each call, with the error that its tool gave', async () => {
  const page = jsonAnswer(200, { calls: [call, { ...call, state: 'completed', error: null, user_id: 'u' }], pagination: last });
  await using server = await startScriptedServer(page);
  expect(lines(await run(server, 'history --state failed --code SOLD_OUT --from 2026-01-31 --to 2026-02-01T12:00:00+02:00'))).toEqual([
    'ended                     state            tool  tenant  user    ms  job    trace',
    '2026-01-31T00:00:00.000Z  failed SOLD_OUT  t     acme    -     12.3  inv_1  trace_1',
    '2026-01-31T00:00:00.000Z  completed        t     acme    u     12.3  inv_1  trace_1',
  ]);
  expect(server.requests[0]?.url).toBe(
    '/history?state=failed&code=SOLD_OUT&scope=mine&from=2026-01-31T00%3A00%3A00Z&to=2026-02-01T12%3A00%3A00%2B02%3A00&limit=100',
  );
});

test('the audit is read as the administrator; who was no caller is named by the connection', async () => {
  const page = jsonAnswer(200, { events: [change, { ...change, actor: null, application: 'psql', changed: [] }], pagination: last });
  await using server = await startScriptedServer(page, page);
  expect(lines(await run(server, 'audit --action api_key.update --subject k2'))).toEqual([
    'at                        action          subject  tenant  actor        changed',
    '2026-01-31T00:00:00.000Z  api_key.update  k2       acme    acme/key:k1  revoked_at,tier',
    '2026-01-31T00:00:00.000Z  api_key.update  k2       acme    [psql]',
  ]);
  expect(JSON.parse((await run(server, 'audit --tenant acme --limit 2 --json')).stdout)).toHaveLength(2);
  expect(server.requests.map(({ url, headers }) => [headers.authorization, url])).toEqual([
    ['Bearer admin', '/audit?scope=tenant&action=api_key.update&subject=k2&limit=100'],
    ['Bearer admin', '/audit?scope=all&tenant=acme&limit=2'],
  ]);
});

test('pages are read until there are as many rows as asked for; more are told of', async () => {
  const page = (rows: number, next: string | null) =>
    jsonAnswer(200, { calls: Array.from({ length: rows }, () => call), pagination: { has_more: next !== null, next_cursor: next } });
  await using server = await startScriptedServer(page(1_000, 'a+b'), page(200, 'c'), page(0, null));
  const whole = await run(server, 'history --limit 1200');
  expect([whole.code, lines(whole).length, whole.stderr]).toEqual([
    0,
    1_201,
    'There are more: these are the first 1200; --limit shows up to 100000\n',
  ]);
  expect(server.requests.map(({ url }) => url)).toEqual(['/history?scope=mine&limit=1000', '/history?scope=mine&limit=200&cursor=a%2Bb']);
  expect(await run(server, 'history')).toMatchObject({ stdout: 'ended  state  tool  tenant  user  ms  job  trace\n', stderr: '' });
});

test('kinds of error are a table, the most frequent first', async () => {
  const kind = {
    id: 'k',
    tenant_id: 'acme',
    tool_name: 'quote',
    code: 'INVALID_PARAMS',
    native_code: null,
    cause: 'caller',
    message: 'not #',
    count: 12,
    counts: [12],
    first_at: '2026-01-31T00:00:00.000Z',
    last_at: '2026-01-31T00:00:05.000Z',
    samples: [{ at: '2026-01-31T00:00:05.000Z', trace_id: 'trace_1', job_id: null, user_id: null, message: 'not 7' }],
  };
  const page = jsonAnswer(200, { errors: [kind], pagination: last });
  await using server = await startScriptedServer(page, page);
  expect(lines(await run(server, 'errors --tenant acme --code INVALID_PARAMS --from 2026-01-31'))).toEqual([
    'count  cause   tool   code            message  tenant  last                      trace',
    '   12  caller  quote  INVALID_PARAMS  not #    acme    2026-01-31T00:00:05.000Z  trace_1',
  ]);
  expect(JSON.parse((await run(server, 'errors --since 24h --cause system --json')).stdout)).toEqual([kind]);
  expect(server.requests.map(({ url, headers }) => [headers.authorization, url])).toEqual([
    ['Bearer admin', '/errors?scope=all&tenant=acme&code=INVALID_PARAMS&from=2026-01-31T00%3A00%3A00Z&limit=100'],
    ['Bearer admin', expect.stringMatching(/^\/errors\?scope=tenant&cause=system&from=20\d\d-.*Z&limit=100$/)],
  ]);
});

test.each([
  ['usage --scope everyone', /--scope must be one of mine, tenant, all, not 'everyone'/],
  ['usage --scope mine --tenant acme', /--tenant is one of all tenants: it does not go with --scope mine/],
  ['errors --since yesterday', /--since must be a number and m, h or d, such as 24h, not yesterday/],
  ['errors --cause me', /--cause must be one of caller, system, not 'me'/],
  ['audit --scope mine', /--scope must be one of tenant, all, not 'mine'/],
  ['audit --action key.made', /--action must be one of api_key.insert, .*, not 'key.made'/],
  ['history --state active', /--state must be one of completed, failed, cancelled, not 'active'/],
  ['history --limit 100001', /--limit must be a whole number from 1 to 100000, not '100001'/],
])('%s is wrong usage and asks nothing', async (line, message) => {
  await using server = await startScriptedServer();
  expect(await run(server, line)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  expect(server.requests).toEqual([]);
});
