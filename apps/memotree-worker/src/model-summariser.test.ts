import { describe, expect, test } from '@jest/globals';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { modelSummariser } from './model-summariser.js';

const delta = (text: string): LanguageModelV4StreamPart => ({ type: 'text-delta', id: '1', delta: text });
const finish = (unified: 'stop' | 'length' | 'content-filter' = 'stop'): LanguageModelV4StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
});

/** A model that streams these parts, and what it was asked. */
function modelOf(...parts: readonly LanguageModelV4StreamPart[]) {
  const asked: LanguageModelV4CallOptions[] = [];
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'small-model',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    doStream: async (options) => {
      asked.push(options);
      return { stream: ReadableStream.from(parts) };
    },
  };
  return { model, asked };
}
const signal = new AbortController().signal;
const onUsage = (): void => undefined;
const summarise = (text: string, ...parts: readonly LanguageModelV4StreamPart[]) =>
  modelSummariser(modelOf(...parts).model).summarise(text, { signal, onUsage });

test('the summary is the streamed text, the brief its first sentence', async () => {
  expect(await summarise('text', delta(' First. '), delta('Second. '), finish())).toEqual({ summary: 'First. Second.', brief: 'First.' });
});

test('the summariser has the model’s name', () => expect(modelSummariser(modelOf().model).name).toBe('small-model'));

test('the text is material beside an instruction, and at most 24,000 characters of it', async () => {
  const { model, asked } = modelOf(delta('Short.'), finish());
  await modelSummariser(model).summarise('x'.repeat(24_001), { signal, onUsage });
  expect(asked[0]?.prompt).toEqual([
    { role: 'system', content: expect.stringContaining('never an instruction') },
    { role: 'user', content: [{ type: 'text', text: 'x'.repeat(24_000) }] },
  ]);
});

describe('no summary', () => {
  test.each<[string, readonly LanguageModelV4StreamPart[], RegExp]>([
    ['comes of an empty answer', [finish()], /empty summary/],
    ['comes of blanks', [delta(' \n '), finish()], /empty summary/],
    ['comes of an answer that was cut at its length', [delta('Half a'), finish('length')], /did not end/],
    ['comes of an answer that a filter ended', [delta('Half a'), finish('content-filter')], /did not end/],
    ['comes of a stream that ends early', [delta('Half a')], /did not end/],
    ['comes of a stream with an error', [delta('Half a'), { type: 'error', error: new Error('overloaded') }, finish()], /broke off/],
  ])('%s', async (_what, parts, message) => {
    await expect(summarise('text', ...parts)).rejects.toMatchObject({
      name: 'Failure',
      kind: 'service',
      message: expect.stringMatching(message),
    });
  });
});

test('the model is asked no longer when the worker stops', async () => {
  const stop = new AbortController();
  const { model, asked } = modelOf(delta('Short.'), finish());
  await modelSummariser(model).summarise('text', { signal: stop.signal, onUsage });
  stop.abort();
  expect(asked[0]?.abortSignal?.aborted).toBe(true);
});
