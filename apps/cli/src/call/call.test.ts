import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer, streamAnswer, type ScriptedAnswer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from '../test-command-line.js';
import { definition, envelope, event, failure } from '../test-gateway.js';

const schema = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city'] };
const known = jsonAnswer(200, definition(schema));
const answered = (data: unknown, facts: object = {}): ScriptedAnswer => streamAnswer([event('tool_result', 1, envelope(data, facts))]);
const answeredPlainly = (data: unknown): ScriptedAnswer => jsonAnswer(200, envelope(data));
const call = (server: ScriptedServer, ...args: readonly string[]) =>
  runCommandLine(['call', ...args], { INVOQ_URL: server.url, INVOQ_API_KEY: 'k' });

test('parameters are options; the data goes to standard output and warnings to standard error', async () => {
  await using server = await startScriptedServer(known, answered({ sun: true }, { warnings: ['half a day is missing'] }));
  expect(await call(server, 't', '--city', '北京', '--days=3')).toEqual({
    code: 0,
    stdout: '{\n  "sun": true\n}\n',
    stderr: 'warning: half a day is missing\n',
  });
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /tools/t', 'POST /tools/t/sse?inline_files=false']);
  expect(server.requests[1]).toMatchObject({ body: '{"city":"北京","days":3}', headers: { authorization: 'Bearer k' } });
});

test('a call that rests says for what, and waits on', async () => {
  const rest = { reason: 'question', until: '2030-01-01T00:00:00.000Z', input_request: 'a-b' };
  const frames = [event('tool_resting', 1, rest), event('tool_resumed', 2, { reason: 'question' }), event('tool_result', 3, envelope({}))];
  await using server = await startScriptedServer(known, streamAnswer(frames));
  const { stdout, stderr } = await call(server, 't', '--city', 'x');
  expect(stdout).toBe('{}\n');
  expect(stderr).toContain('It rests (question) until 2030-01-01T00:00:00.000Z; see invoq inputs show a-b');
});

test('options of the gateway and the version are sent on; --json prints the metadata too', async () => {
  await using server = await startScriptedServer(known, answered({}));
  const { stdout } = await call(server, 't', '--version=>=1.0', '--debug', '--metacognition', '--no-cache', '--json', '--city', 'x');
  expect(JSON.parse(stdout)).toMatchObject({ data: {}, metadata: { trace_id: 'trace_1' } });
  const [asked, called] = server.requests.map(({ url }) => new URL(url, 'http://x'));
  expect(asked?.searchParams.get('version')).toBe('>=1.0');
  expect(decodeURIComponent(called?.pathname ?? '')).toBe('/tools/t@>=1.0/sse');
  expect(Object.fromEntries(called?.searchParams ?? [])).toEqual({
    debug: 'true',
    metacognition: 'true',
    enable_cache: 'false',
    inline_files: 'false',
  });
});

test('debug information goes to standard error', async () => {
  await using server = await startScriptedServer(
    known,
    streamAnswer([event('tool_result', 1, { ...envelope({}), debug_info: { retry_count: 0 } })]),
  );
  expect(await call(server, 't', '--city', 'x', '--debug')).toMatchObject({ stdout: '{}\n', stderr: expect.stringMatching(/^debug: \{/) });
});

test('parameters may come from a file; options come before them', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-call-'));
  writeFileSync(join(folder.path, 'input.json'), '{"city":"a","days":1}');
  await using server = await startScriptedServer(known, answered({}));
  const environment = { INVOQ_URL: server.url, INIT_CWD: folder.path };
  await runCommandLine(['call', 't', '--input', 'input.json', '--city', 'b'], environment);
  expect(server.requests[1]?.body).toBe('{"city":"b","days":1}');
});

test.each([
  ['missing.json', null, /--input missing\.json: .*ENOENT/],
  ['broken.json', '{"city"', /--input broken\.json: .*JSON/],
  ['list.json', '[1]', /--input list\.json must hold a JSON object/],
  ['null.json', 'null', /must hold a JSON object/],
])('an input of %s is wrong usage', async (name, content, message) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-call-'));
  if (content !== null) writeFileSync(join(folder.path, name), content);
  await using server = await startScriptedServer(known);
  const result = await runCommandLine(['call', 't', '--input', name], { INVOQ_URL: server.url, INIT_CWD: folder.path });
  expect(result).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  expect(server.requests).toHaveLength(1);
});

test('--all prints every item, one a line, as the pages arrive', async () => {
  const page = (items: readonly number[], next: string | null): ScriptedAnswer =>
    answeredPlainly({ items, pagination: { has_more: next !== null, next_cursor: next } });
  await using server = await startScriptedServer(known, page([1, 2], 'c1'), page([3], 'c2'), page([4, 5], null));
  expect(await call(server, 't', '--city', 'x', '--all', '--max-items', '4')).toMatchObject({ code: 0, stdout: '1\n2\n3\n4\n' });
  expect(server.requests.slice(1).map(({ body }) => JSON.parse(body))).toEqual([
    { city: 'x', limit: 100 },
    { city: 'x', limit: 100, cursor: 'c1' },
    { city: 'x', limit: 100, cursor: 'c2' },
  ]);
});

test('--async prints the id of the job, or the data that was cached', async () => {
  await using server = await startScriptedServer(
    known,
    jsonAnswer(202, { job_id: 'inv_1', tool_name: 't', trace_id: 'trace_1' }),
    known,
    answeredPlainly({ sun: true }),
  );
  expect((await call(server, 't', '--city', 'x', '--async')).stdout).toBe('inv_1\n');
  expect(JSON.parse((await call(server, 't', '--city', 'x', '--async')).stdout)).toEqual({ sun: true });
});

test('the help of a tool is made of its definition', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(200, definition(schema, { deprecated: true, replacement: 'u' })),
    jsonAnswer(200, definition(schema, { deprecated: true })),
  );
  const { code, stdout } = await call(server, 't', '--help');
  expect(code).toBe(0);
  for (const part of [
    '--city <string>  (required)',
    '--days <integer>  (optional)',
    'Deprecated: calls are refused; use u.',
    '--max-items <n>',
  ])
    expect(stdout).toContain(part);
  expect((await call(server, 't', '--help')).stdout).toContain('Deprecated: calls are refused.');
  expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

test.each([
  [['t', '--nonsense', '1'], /--nonsense.*--help shows the options of this tool/],
  [['t', '--days', 'three'], /--days must be a number, not 'three'/],
  [['t', '--all', '--max-items', '0'], /--max-items must be a whole number from 1 to 1000000, not '0'/],
  [['t', '--max-items', '5'], /--max-items is for --all/],
  [['--json'], /<tool> is missing/],
])('%j is wrong usage, and nothing is called', async (args, message) => {
  await using server = await startScriptedServer(known);
  expect(await call(server, ...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('an error of the tool is told with its trace, and standard output stays empty', async () => {
  await using server = await startScriptedServer(known, jsonAnswer(404, failure('CITY_NOT_FOUND', 'There is no such city')));
  expect(await call(server, 't', '--city', 'x')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: CITY_NOT_FOUND: There is no such city\ntrace: trace_1\n',
  });
});

describe('Ctrl-C', () => {
  const job = `profile_${'0'.repeat(32)}`;
  const told = (name: string, seq: number, data: object): string => event(name, seq, data).replace(/evt_/, `evt_${job}_`);
  const interrupted: ScriptedAnswer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(told('tool_progress', 1, { progress: 0, message: 'Starting t' }));
    setTimeout(() => process.emit('SIGINT'), 50);
  };
  const conflict = jsonAnswer(409, failure('CONFLICT', 'The job has already ended: completed'));
  const stream = async (server: ScriptedServer) => {
    const result = await call(server, 't', '--city', 'x');
    expect([process.listenerCount('SIGINT'), process.listenerCount('SIGTERM')]).toEqual([0, 0]);
    return result;
  };

  test('cancels the call by its job', async () => {
    await using server = await startScriptedServer(known, interrupted, jsonAnswer(202, { state: 'cancelled' }));
    expect(await stream(server)).toEqual({ code: 130, stdout: '', stderr: 'Cancelled.\n' });
    expect(server.requests[2]).toMatchObject({ method: 'DELETE', url: `/jobs/inv_${job}?unless_joined=true` });
  });

  test('that comes too late gives the result', async () => {
    await using server = await startScriptedServer(
      known,
      interrupted,
      conflict,
      streamAnswer([told('tool_result', 2, envelope({ sun: true }))]),
    );
    expect(await stream(server)).toEqual({
      code: 0,
      stdout: '{\n  "sun": true\n}\n',
      stderr: 'It had ended before it could be cancelled:\n',
    });
  });

  test('that comes too late for a call that failed gives its error', async () => {
    const failed = failure('TIMEOUT', 'Too slow');
    await using server = await startScriptedServer(known, interrupted, conflict, streamAnswer([told('tool_error', 2, failed)]));
    expect(await stream(server)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('TIMEOUT: Too slow') });
  });

  test('that cannot cancel says so', async () => {
    await using server = await startScriptedServer(known, interrupted, jsonAnswer(403, failure('PERMISSION_DENIED', 'Not yours')));
    const { code, stderr } = await stream(server);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`The job inv_${job} could not be cancelled and may still run: Not yours`)]);
  });
});
