// People are answered in the language that they ask for; programs find the same codes, names and fields.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { startTimeoutMs } from '#lib/testing';
import { TestHttpGateway } from '../test-http-gateway.js';

let gateway: TestHttpGateway;
beforeAll(async () => void (gateway = await TestHttpGateway.start()), startTimeoutMs);
afterAll(async () => gateway?.[Symbol.asyncDispose]());

const definition = z.looseObject({ name: z.string(), title: z.string(), description: z.string() });
const refusal = z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string(), hint: z.string() }) });
const send = async (path: string, language: string | undefined, more: Parameters<TestHttpGateway['send']>[1] = {}) =>
  gateway.send(path, {
    authorization: gateway.user,
    ...more,
    headers: { ...(language && { 'accept-language': language }), ...more.headers },
  });
const shown = async (path: string, language?: string) => {
  const { headers, body } = await send(path, language);
  return { headers, tool: definition.parse(JSON.parse(body)) };
};

test('Definitions have the words of the reader, and all else alike', async () => {
  const [english, chinese, other] = await Promise.all(
    [undefined, 'zh-CN,zh;q=0.9,en;q=0.8', 'de'].map((one) => shown('/tools/calc_metrics', one)),
  );
  expect(english?.tool.title).toBe('Health metrics');
  expect(other?.tool).toEqual(english?.tool);
  expect(chinese?.tool).toMatchObject({ name: 'calc_metrics', title: '健康指标' });
  expect({ ...chinese?.tool, title: '', description: '' }).toEqual({ ...english?.tool, title: '', description: '' });
  expect(english?.headers).toMatchObject({ 'content-language': 'en', vary: 'authorization, cookie, accept-language' });
  expect(chinese?.headers).toMatchObject({ 'content-language': 'zh' });
});

test('A list is another one in each language, with a tag of its own', async () => {
  const [english, chinese] = [await send('/tools?domain=profile', 'en'), await send('/tools?domain=profile', 'zh')];
  expect([english?.body.includes('健康指标'), chinese?.body.includes('健康指标')]).toEqual([false, true]);
  const etag = String(chinese?.headers['etag']);
  expect((await send('/tools?domain=profile', 'zh', { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await send('/tools?domain=profile', 'en', { headers: { 'if-none-match': etag } })).status).toBe(200);
  // Models choose by one text.
  for (const format of ['openai', 'anthropic', 'mcp'])
    expect((await send(`/tools?domain=profile&format=${format}`, 'zh')).body).toBe(
      (await send(`/tools?domain=profile&format=${format}`, 'en')).body,
    );
});

test.each([
  ['/tools/calc_metrics', { method: 'POST', body: '{"age":"x"}' }, 'INVALID_PARAMS'],
  ['/nothing', {}, 'RESOURCE_NOT_FOUND'],
  ['/jobs/inv_profile_00000000000000000000000000000000', {}, 'RESOURCE_NOT_FOUND'],
  ['/tools', { authorization: 'Bearer no' }, 'UNAUTHORIZED'],
])('What %s refuses is told in Chinese, with the same code', async (path, request, code) => {
  const [english, chinese] = await Promise.all(['en', 'zh'].map((one) => send(path, one, request)));
  const [one, other] = [english, chinese].map((answer) => refusal.parse(JSON.parse(answer?.body ?? '')).error);
  expect([one?.code, other?.code, english?.status]).toEqual([code, code, chinese?.status]);
  expect([one?.hint, other?.hint].map((text) => /\p{Script=Han}/u.test(text ?? ''))).toEqual([false, true]);
  expect(one?.message).not.toMatch(/\p{Script=Han}/u);
});
