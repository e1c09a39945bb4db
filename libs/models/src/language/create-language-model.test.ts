import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { z } from 'zod';
import { CollectedMeasures, ModelServer } from '#lib/testing';
import { createLanguageModel, languageModelSettings } from './create-language-model.js';

const settings = z.object(languageModelSettings);

test.each([
  ['offline', {}, null],
  ['openai:gpt-x', { MODEL_API_KEY: 'k' }, ['openai.chat', 'gpt-x']],
  ['anthropic:claude-x', { MODEL_API_KEY: 'k' }, ['anthropic.messages', 'claude-x']],
  ['local-model', { MODEL_BASE_URL: 'http://localhost:1/v1' }, ['compatible.chat', 'local-model']],
  // A name with a colon whose prefix is no provider of ours is the name of a model.
  ['llama3:8b', { MODEL_BASE_URL: 'http://localhost:1/v1' }, ['compatible.chat', 'llama3:8b']],
])('MODEL=%s', (MODEL, access, expected) => {
  const model = createLanguageModel(settings.parse({ MODEL, ...access }));
  expect(model && [model.provider, model.modelId]).toEqual(expected);
});

test('without MODEL the built-in rules answer', () => {
  expect(createLanguageModel(settings.parse({}))).toBeNull();
});

test.each([
  ['openai:gpt-x', {}, 'MODEL_API_KEY is missing: the model openai:gpt-x needs it'],
  ['anthropic:claude-x', { MODEL_BASE_URL: 'http://localhost:1' }, 'MODEL_API_KEY is missing: the model anthropic:claude-x needs it'],
  [
    'gpt-x',
    { MODEL_API_KEY: 'secret' },
    'MODEL_BASE_URL is missing: the model gpt-x needs it, or the prefix of its provider: openai:gpt-x or anthropic:gpt-x',
  ],
])('MODEL=%s with %j names the missing setting and no secret', (MODEL, access, message) => {
  const create = () => createLanguageModel(settings.parse({ MODEL, ...access }));
  expect(create).toThrow(message);
  expect(create).not.toThrow('secret');
});

test.each([
  ['MODEL', 'm'.repeat(201)],
  ['MODEL_BASE_URL', 'not a url'],
])('%s is checked', (name, value) => {
  expect(settings.safeParse({ [name]: value }).error?.issues[0]?.path).toEqual([name]);
});

describe('a model', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await ModelServer.start();
  });
  afterAll(async () => server[Symbol.asyncDispose]());

  async function answerOf(model: LanguageModelV4 | null): Promise<string> {
    const result = await model?.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }] });
    let text = '';
    for await (const part of result?.stream ?? []) if (part.type === 'text-delta') text += part.delta;
    return text;
  }

  test.each([
    ['openai:gpt-x', 'openai', 'authorization', 'Bearer the-key'],
    ['anthropic:claude-x', 'anthropic', 'x-api-key', 'the-key'],
    ['local-model', 'openai', 'authorization', 'Bearer the-key'],
  ] as const)('%s is asked at MODEL_BASE_URL in the protocol of %s with its key', async (...row) => {
    const [MODEL, protocol, header, key] = row;
    server.on('Hello?', { text: ['Hi ', 'there.'] });
    const model = createLanguageModel({ MODEL, MODEL_BASE_URL: server.url, MODEL_API_KEY: 'the-key' });
    expect(await answerOf(model)).toBe('Hi there.');
    const request = server.requests.at(-1);
    expect(request?.protocol).toBe(protocol);
    expect(request?.headers[header]).toBe(key);
    expect(request?.body['model']).toBe(MODEL.split(':').at(-1));
  });

  test('is measured by the conventions: how long, how many tokens, and how it failed', async () => {
    await using measures = new CollectedMeasures();
    server.on('Hello?', { text: ['Hi ', 'there.'] });
    const model = createLanguageModel({ MODEL: 'openai:gpt-x', MODEL_BASE_URL: server.url, MODEL_API_KEY: 'the-key' });
    await answerOf(model);
    const { hostname, port } = new URL(server.url);
    const about = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-x',
      'server.address': hostname,
      'server.port': Number(port),
    };
    const [operation] = await measures.of('gen_ai.client.operation.duration');
    expect(operation).toMatchObject({ count: 1, attributes: about });
    expect(operation?.attributes).not.toHaveProperty('error.type');
    const tokens = await measures.of('gen_ai.client.token.usage');
    expect(tokens.map(({ attributes }) => attributes['gen_ai.token.type'])).toEqual(['input', 'output']);
    for (const { attributes, sum } of tokens) {
      expect(attributes).toMatchObject(about);
      expect(sum).toBeGreaterThan(0);
    }
    server.on('Hello?', { status: 429 });
    const busy = createLanguageModel({ MODEL: 'm', MODEL_BASE_URL: server.url, MODEL_API_KEY: 'k' });
    await expect(answerOf(busy)).rejects.toThrow();
    const failed = (await measures.of('gen_ai.client.operation.duration')).at(-1);
    expect(failed?.attributes).toMatchObject({ 'gen_ai.provider.name': 'compatible', 'error.type': '429' });
    server.on('Hello?', { text: 'Hi' });
    const stopped = new AbortController();
    const asked = await model?.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }],
      abortSignal: stopped.signal,
    });
    stopped.abort();
    await asked?.stream.cancel().catch(() => undefined);
    expect((await measures.of('gen_ai.client.operation.duration')).map(({ attributes }) => attributes['error.type'])).toContain(
      'cancelled',
    );
  });

  test('whose answer is too large fails, compressed or not', async () => {
    const body = gzipSync(`data: ${' '.repeat(33 * 1024 * 1024)}\n\n`);
    const endless = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end(body);
    }).listen(0, '127.0.0.1');
    await once(endless, 'listening');
    const address = endless.address();
    const MODEL_BASE_URL = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`;
    const model = createLanguageModel({ MODEL: 'local-model', MODEL_BASE_URL, MODEL_API_KEY: 'k' });
    await expect(answerOf(model)).rejects.toMatchObject({ cause: expect.objectContaining({ name: 'AnswerTooLarge' }) });
    endless.closeAllConnections();
    endless.close();
  });
});
