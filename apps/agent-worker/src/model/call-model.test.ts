import { APICallError, type LanguageModelV4, type LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, test } from '@jest/globals';
import { callModel, type ModelReply } from './call-model.js';
import { ModelError } from './model-error.js';

type Part = LanguageModelV4StreamPart;
const usage = { inputTokens: { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 2, text: 2, reasoning: 0 } };
const text = (delta: string): Part => ({ type: 'text-delta', id: '1', delta });
const finish = (unified: 'stop' | 'length' | 'interrupted' | 'tool-calls' = 'stop'): Part => ({
  type: 'finish',
  usage,
  finishReason: { unified, raw: undefined },
});
const toolCall = (input: string, more: { id?: string; name?: string; providerExecuted?: boolean } = {}): Part => ({
  type: 'tool-call',
  toolCallId: more.id ?? 'c1',
  toolName: more.name ?? 'look_up',
  input,
  ...(more.providerExecuted && { providerExecuted: true }),
});
const apiError = (statusCode: number): APICallError =>
  new APICallError({ message: 'the words of the provider', url: 'http://p', requestBodyValues: {}, statusCode });

/** Calls a model that answers each request in turn: with these parts, or with an error. */
async function call(...answers: readonly (readonly Part[] | Error)[]) {
  let requests = 0;
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('streams only')),
    doStream: async () => {
      const answer = answers[requests++] ?? new Error('no answer is left');
      if (answer instanceof Error) throw answer;
      return { stream: ReadableStream.from(answer) };
    },
  };
  const configured = {
    model,
    toolChoice: { type: 'auto' },
    maxOutputTokens: 10,
    startsInReasoning: false,
    providerOptions: {},
    priceOf: null,
  } as const;
  const pieces: string[] = [];
  const run = callModel(configured, { prompt: [] }, { signal: new AbortController().signal, idleTimeoutMs: 5_000 });
  let reply: ModelReply | null = null;
  let error: unknown = null;
  try {
    let next = await run.next();
    for (; !next.done; next = await run.next()) pieces.push(next.value);
    reply = next.value;
  } catch (thrown) {
    error = thrown;
  }
  return { pieces, reply, error, requests: () => requests };
}

describe('a reply', () => {
  test('is its text as it came, its reason and its usage', async () => {
    const { pieces, reply } = await call([text('Hel'), text('lo.'), finish()]);
    expect(pieces).toEqual(['Hel', 'lo.']);
    expect(reply).toEqual({ text: 'Hello.', calls: [], finishReason: 'stop', usage: { input_tokens: 5, output_tokens: 2 }, costMicros: 0 });
  });

  test('does not show what the model thinks before it', async () => {
    expect(await call([text('<thi'), text('nk>a plan</think>\n'), text('\nThe answer.'), finish()])).toMatchObject({
      pieces: ['The answer.'],
      reply: { text: 'The answer.' },
    });
    expect((await call([text('<thi'), finish()])).reply?.text).toBe('<thi');
  });

  test('has no half characters, and no empty pieces', async () => {
    expect(await call([text('a\uD83D'), text('\uDE00'), text('\0'), finish()])).toMatchObject({
      pieces: ['a', '😀'],
      reply: { text: 'a😀' },
    });
  });

  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool-calls', 'tool-calls'],
    ['interrupted', 'other'],
  ] as const)('that ends with %s has the reason %s', async (unified, reason) => {
    expect((await call([text('a'), finish(unified)])).reply?.finishReason).toBe(reason);
  });
});

describe('a tool call', () => {
  test.each([
    ['{"a":1}', { arguments: { a: 1 } }],
    ['', { arguments: {} }],
    [' \n', { arguments: {} }],
    ['{"a":"\0"}', { arguments: { a: '' } }],
    ['[1]', { arguments: {}, malformed: 'the arguments must be a JSON object' }],
    ['null', { arguments: {}, malformed: 'the arguments must be a JSON object' }],
    ['"text"', { arguments: {}, malformed: 'the arguments must be a JSON object' }],
    ['{"a":', { arguments: {}, malformed: 'the arguments are not valid JSON' }],
  ])('with %j', async (input, expected) => {
    expect((await call([toolCall(input), finish('tool-calls')])).reply?.calls).toEqual([{ id: 'c1', name: 'look_up', ...expected }]);
  });

  test('has an id and a name of 128 characters at most', async () => {
    const { reply } = await call([toolCall('{}', { id: 'i'.repeat(129), name: 'n'.repeat(129) }), finish()]);
    expect([reply?.calls[0]?.id.length, reply?.calls[0]?.name.length]).toEqual([128, 128]);
  });

  test('that the provider has run itself is none of ours', async () => {
    expect((await call([toolCall('{}', { providerExecuted: true }), text('a'), finish()])).reply?.calls).toEqual([]);
  });
});

describe('a model that fails', () => {
  test.each([
    ['refuses its credential', apiError(401), 'The model does not accept our credential'],
    ['forbids it', apiError(403), 'The model does not accept our credential'],
    ['does not know the request', apiError(400), 'The model failed while answering'],
    ['throws something else', new TypeError('x is undefined'), 'The model failed while answering'],
  ])('because it %s is not asked again, and its own words stay in the cause', async (_what, fault, message) => {
    const { error, requests } = await call(fault);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ message, cause: fault });
    expect(requests()).toBe(1);
  });

  test.each([
    ['an error at the start', apiError(503)],
    [
      'an error as the first part',
      [
        { type: 'stream-start', warnings: [] },
        { type: 'error', error: apiError(529) },
      ] satisfies Part[],
    ],
  ])('with %s that may pass is asked again', async (_what, fault) => {
    expect(await call(fault, [text('Here.'), finish()])).toMatchObject({ pieces: ['Here.'], error: null });
  });

  test('in the middle of its text is not asked again: the user has read the beginning', async () => {
    const { pieces, error, requests } = await call([text('Half'), { type: 'error', error: apiError(503) }], [text('Again.'), finish()]);
    expect(pieces).toEqual(['Half']);
    expect(error).toMatchObject({ name: 'ModelError', message: 'The model failed while answering' });
    expect(requests()).toBe(1);
  });

  test('is told from one that is overloaded', async () => {
    const { error } = await call([text('a'), { type: 'error', error: apiError(429) }]);
    expect(error).toMatchObject({ message: 'The model has too much to do at the moment; try again in a minute' });
  });

  test('by ending without a reason has stopped in the middle', async () => {
    expect((await call([text('Half')])).error).toMatchObject({ message: 'The model stopped in the middle of its answer' });
  });
});
