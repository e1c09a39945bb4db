// Whatever is kept of a call is English, and each of its readers is told it in their language: streams, jobs, batches, native routes and MCP.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually, type HttpCaller, startTimeoutMs } from '#lib/testing';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

let gateway: TestGateway;
let user: HttpCaller;
const away = 'The service behind this tool could not be reached';
const inChinese = { message: '无法访问此工具背后的服务', hint: '请重试。' };
const inEnglish = { message: away, hint: 'Retry.' };

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: async ({ jobId, head, attempt, store }) => {
      if (head.input['order'] !== 'away') return { ok: true, data: { made: String(head.input['order']) } };
      await store.attempts.progress(jobId, attempt, { kind: 'progress', progress: 50, message: 'Indexing' });
      return { ok: false, error: { code: 'NETWORK_ERROR', family: 'NETWORK_ERROR', message: away } };
    },
  });
  user = await gateway.caller();
}, startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

const reading = (language: string) => ({ 'accept-language': language });
const stream = async (path: string, headers: Record<string, string>) =>
  (await user.get(path, { accept: 'text/event-stream', ...headers })).text;

test('A stream is told in the language of its request, and to each who reads on in theirs', async () => {
  const first = await stream('/tools/test_plain/sse?order=away', reading('zh-CN'));
  expect(first).toContain('正在启动 test_plain');
  expect(first).toContain('正在建立索引');
  expect(first).toContain(JSON.stringify(inChinese.message));
  expect(first).toContain(JSON.stringify(inChinese.hint));
  expect(first).toContain('NETWORK_ERROR');
  expect(first).not.toContain(away);
  const [id = ''] = /^id: (.*)$/m.exec(first)?.slice(1) ?? [];
  const [jobId = ''] = /inv_profile_[0-9a-f]{32}/.exec(first) ?? [];
  const english = await stream(`/jobs/${jobId}/events`, { ...reading('en'), 'last-event-id': id });
  expect(english).toContain('Indexing');
  expect(english).toContain(away);
  expect(english).not.toMatch(/\p{Script=Han}/u);
  const chinese = await stream(`/jobs/${jobId}/events`, { ...reading('zh'), 'last-event-id': id });
  expect(chinese).toContain('正在建立索引');
  expect(chinese).toContain(inChinese.message);
});

test('A stream that refuses says so in the language of its request', async () => {
  expect(await stream('/tools/test_plain/sse?more=1', reading('zh'))).toContain('缺少必填参数：order；多余的参数：more');
  expect(await stream('/tools/test_plain/sse?more=1', {})).toContain('Missing required parameter: order');
});

test('A job, and a list of jobs', async () => {
  const begun = await user.post('/tools/test_plain', { order: 'away' }, { prefer: 'respond-async' });
  const path = begun.headers.get('location') ?? '';
  const read = async (language: string) => (await user.get(`${path}?wait=10`, reading(language))).body;
  expect(await read('zh')).toMatchObject({ progress: { message: '正在建立索引' }, result: { error: inChinese } });
  expect(await read('en')).toMatchObject({ progress: { message: 'Indexing' }, result: { error: inEnglish } });
  expect((await user.get('/jobs?state=failed', reading('zh'))).text).toContain(inChinese.message);
});

test('Calls that are made together, and the lines of a batch', async () => {
  const calls = [
    { id: 1, name: 'test_plain', arguments: { order: 'away' } },
    { id: 2, name: 'zzz', arguments: {} },
  ];
  const together = await user.post('/tools/batch', { calls }, reading('zh'));
  expect(together.body).toMatchObject({ results: [{ error: inChinese }, { error: { message: '没有找到工具“zzz”' } }] });
  const batch = await user.post('/batches', { calls });
  const lines = async (language: string) =>
    (await user.get(`${batch.headers.get('location')}/results?wait=20`, reading(language))).text.split('\n').filter(Boolean);
  await eventually(async () => (await lines('en')).length === 2);
  expect((await lines('zh')).map((line) => JSON.parse(line).error.message)).toEqual([inChinese.message, '没有找到工具“zzz”']);
  expect((await lines('en')).map((line) => JSON.parse(line).error.message)).toEqual([away, "Tool 'zzz' not found"]);
});

test('A warning beside a success, from its first answer on', async () => {
  const call = async (language: string) => (await user.call('test_ending', { order: 'a' }, reading(language))).envelope;
  expect(await call('zh')).toMatchObject({
    success: true,
    metadata: { warnings: ['test_ending 将于 2030-01-01 停用；请改用 test_plain'] },
  });
  expect(await call('en')).toMatchObject({ metadata: { warnings: ['test_ending ends on 2030-01-01; use test_plain'] } });
});

test('Errors are counted under one kind, which each operator reads in their language', async () => {
  const boss = await gateway.caller({ userId: null, scopes: ['tenant:admin'] });
  const kinds = async (language: string) => (await boss.get('/errors?scope=tenant&limit=100', reading(language))).text;
  await user.post('/tools/test_plain', {});
  await eventually(async () => (await kinds('en')).includes('Missing required parameter: order'));
  expect(await kinds('zh')).toContain('缺少必填参数：order');
  expect(await kinds('zh')).not.toContain('Missing required');
});

test('A native route keeps its form', async () => {
  const call = async (language: string) => (await user.post('/memotree/delete_node', {}, reading(language))).body;
  const [english, chinese] = [await call('en'), await call('zh')];
  expect(chinese).toMatchObject({ success: false, message: expect.stringContaining('缺少必填参数') });
  expect({ ...Object(chinese), message: '' }).toEqual({ ...Object(english), message: '' });
});

test('A result of MCP, and a fault of its protocol', async () => {
  const call = async (name: string, language: string) =>
    (
      await user.post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { order: 'away' } } },
        { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18', ...reading(language) },
      )
    ).text;
  expect(await call('test_plain', 'zh')).toContain(inChinese.message);
  expect(await call('test_plain', 'en')).toContain(away);
  expect(await call('zzz', 'zh')).toContain('没有找到工具');
  expect(await call('zzz', 'en')).not.toMatch(/\p{Script=Han}/u);
});
