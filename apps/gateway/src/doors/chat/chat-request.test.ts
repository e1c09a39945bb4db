import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Refusal, type Caller } from '#lib/contracts';
import { conversationIdOf, isAiSdkProtocol, readChatRequest, takesApprovals } from './chat-request.js';

const id = '3f2b7c9e-1111-4222-8333-444455556666';
const said = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });

function pathsOf(body: unknown): readonly (string | undefined)[] {
  try {
    readChatRequest(body, undefined);
  } catch (error) {
    if (error instanceof Refusal && error.error.family === 'INVALID_PARAMS') return error.error.details?.map(({ path }) => path) ?? [];
    throw error;
  }
  throw new Error('not refused');
}

describe('The body of the source document', () => {
  test('is a message, with the defaults of everything else', () => {
    expect(readChatRequest({ message: ' hello ' }, undefined)).toEqual({
      message: ' hello ',
      answers: [],
      chatId: null,
      dialect: 'source',
      mode: 'complex',
      regenerate: false,
    });
  });

  test('may name its conversation, its mode and the dialect of the answer', () => {
    expect(readChatRequest({ message: 'a', conversation_id: id, mode: 'simple' }, 'AI-SDK')).toMatchObject({
      chatId: id,
      mode: 'simple',
      dialect: 'ai-sdk',
    });
  });

  test.each([
    [{}, ['message']],
    [{ message: '' }, ['message']],
    [{ message: ' \n ' }, ['message']],
    [{ message: 7 }, ['message']],
    [{ message: 'x'.repeat(16_001) }, ['message']],
    [{ message: 'a', conversation_id: 'mine' }, ['conversation_id']],
    [{ message: 'a', mode: 'guest' }, ['mode']],
    [[], ['']],
    [null, ['']],
    ['hello', ['']],
    [undefined, ['']],
  ])('is refused by its field: %j', (body, paths) => {
    expect(pathsOf(body)).toEqual(paths);
  });

  test('may have 16,000 characters', () => {
    expect(readChatRequest({ message: 'x'.repeat(16_000) }, undefined).message).toHaveLength(16_000);
  });
});

describe('The body of the AI SDK', () => {
  test('is the whole conversation, of which the last message of the user counts', () => {
    const messages = [said('first'), { role: 'assistant', parts: [] }, said('second'), { role: 'assistant', parts: [] }];
    expect(readChatRequest({ id: 'chat-1', messages, trigger: 'submit-message' }, undefined)).toEqual({
      message: 'second',
      answers: [],
      chatId: 'chat-1',
      dialect: 'ai-sdk',
      mode: 'complex',
      regenerate: false,
    });
  });

  test('may be the last message alone', () => {
    expect(readChatRequest({ id: 'chat-1', message: said('hello') }, undefined)).toMatchObject({ message: 'hello', dialect: 'ai-sdk' });
  });

  test('may ask for another answer', () => {
    expect(readChatRequest({ messages: [said('a')], trigger: 'regenerate-message' }, undefined).regenerate).toBe(true);
  });

  test('joins the texts of a message and passes over its other parts', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'reasoning', text: 'x' },
      { type: 'text', text: 7 },
      { type: 'text', text: 'b' },
    ];
    expect(readChatRequest({ messages: [{ role: 'user', parts }] }, undefined).message).toBe('a\nb');
  });

  test('may hold the text as older clients do', () => {
    expect(readChatRequest({ messages: [{ role: 'user', content: 'old' }] }, undefined).message).toBe('old');
  });

  test('prefers the UUID of a conversation to the name that the client gave it', () => {
    expect(readChatRequest({ id: 'mine', conversation_id: id, messages: [said('a')] }, undefined).chatId).toBe(id);
  });

  test.each([
    [{ messages: [] }, ['messages']],
    [{ messages: [{ role: 'assistant', content: 'a' }] }, ['messages']],
    [{ messages: [{ role: 'user', parts: [] }] }, ['messages']],
    [{ messages: [said('x'.repeat(16_001))] }, ['messages']],
    [{ messages: [said('a')], id: '' }, ['id']],
    [{ messages: [said('a')], id: 'x'.repeat(201) }, ['id']],
    [{ messages: [said('a')], trigger: 'other' }, ['trigger']],
    [{ message: { role: 'user' } }, ['message']],
  ])('is refused by its field: %j', (body, paths) => {
    expect(pathsOf(body)).toEqual(paths);
  });
});

test('Whatever is sent is read or refused', () => {
  fc.assert(
    fc.property(fc.anything(), (body) => {
      try {
        expect(readChatRequest(body, undefined).message.trim()).not.toBe('');
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal);
      }
    }),
  );
});

describe('The id of a conversation', () => {
  const caller: Caller = { tenantId: 't', userId: 'u', tier: 'free', scopes: [], credentialId: 'k' };

  test("is the client's UUID, in lower case", () => {
    expect(conversationIdOf(caller, id.toUpperCase())).toBe(id);
  });

  test('follows from any other name and the caller, as a UUID of version 8', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (name) => {
        const one = conversationIdOf(caller, name);
        expect(one).toBe(conversationIdOf({ ...caller, credentialId: 'another key', tier: 'vip' }, name));
        if (one !== name.toLowerCase()) expect(one).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
      }),
    );
    const ids = [
      conversationIdOf(caller, 'a'),
      conversationIdOf(caller, 'b'),
      conversationIdOf({ ...caller, userId: 'v' }, 'a'),
      conversationIdOf({ ...caller, tenantId: 's' }, 'a'),
    ];
    expect(new Set(ids).size).toBe(4);
  });
});

describe('Files in a message', () => {
  const dataUrl = (text: string, type = 'text/plain') => `data:${type};base64,${Buffer.from(text).toString('base64')}`;
  const file = (more: object) => ({ type: 'file', mediaType: 'text/plain', filename: 'notes.txt', url: dataUrl('two words'), ...more });
  const picture = file({ mediaType: 'image/png', filename: 'cat.png', url: 'data:image/png;base64,iVBORw0KGgo=' });
  const read = (...parts: readonly object[]) => readChatRequest({ messages: [{ role: 'user', parts }] }, undefined).message;
  const ask = { type: 'text', text: 'What is this?' };

  test('that are texts are read', () => {
    expect(read(ask, file({}))).toBe('What is this?\n\n(The user attached the file "notes.txt", text/plain:)\ntwo words');
    expect(read(file({ mediaType: 'application/json; charset=utf-8', url: 'data:application/json,%7B%22a%22%3A1%7D' }))).toContain(
      '{"a":1}',
    );
  });

  test.each([
    ['a picture', picture],
    ['a text elsewhere', file({ url: 'https://example.com/notes.txt' })],
    ['a text that is none', file({ url: 'data:text/plain;base64,/w==' })],
    ['a broken address', file({ url: 'data:text/plain,%' })],
    ['a NUL', file({ url: dataUrl('a\0b') })],
  ])('that are not read are told to the model beside a text, and to the client without one: %s', (_, part) => {
    expect(read(ask, part)).toMatch(/^What is this\?\n\n\(The user attached the file "[^"]+", [a-z/]+\. It was not read/);
    expect(pathsOf({ messages: [{ role: 'user', parts: [part] }] })).toEqual(['messages']);
  });

  test('count with the message', () => {
    const parts = [ask, file({ url: dataUrl('x'.repeat(16_000)) })];
    expect(pathsOf({ messages: [{ role: 'user', parts }] })).toEqual(['messages']);
  });

  test('have names that cannot break out of their line', () => {
    expect(read(ask, file({ filename: 'a"\n(x' }))).toContain(String.raw`"a\"\n(x"`);
  });
});

describe('an answer to requests for approvals', () => {
  const part = (more: object) => ({ type: 'tool-order', toolCallId: 'c1', state: 'approval-responded', ...more });
  const answered = part({ approval: { id: 'req_1', approved: false, reason: 'no' } });
  const messages = (...parts: readonly object[]) => [said('order it'), { role: 'assistant', parts }];

  test('is read from the last message, if that is the answer that asked', () => {
    const others = [{ type: 'text', text: 'x' }, part({ state: 'approval-requested', approval: { id: 'req_2' } })];
    const expected = { message: '', answers: [{ toolCallId: 'c1', id: 'req_1', approved: false, reason: 'no' }] };
    expect(readChatRequest({ id: 'c', messages: messages(...others, answered) }, undefined)).toMatchObject(expected);
    expect(readChatRequest({ id: 'c', message: { role: 'assistant', parts: [answered] } }, undefined)).toMatchObject(expected);
  });

  test.each([
    ['of an earlier answer', { messages: [...messages(answered), said('next')] }, 'next'],
    ['that is asked for again', { messages: messages(answered), trigger: 'regenerate-message' }, 'order it'],
    ['without a word of yes or no', { messages: messages(part({ approval: { id: 'req_1' } })) }, 'order it'],
  ])('%s is none: the message counts', (_which, body, message) => {
    expect(readChatRequest({ id: 'c', ...body }, undefined)).toMatchObject({ message, answers: [] });
  });

  test('is asked for in streams of the AI SDK, but for version 5', () => {
    expect(takesApprovals('ai-sdk', undefined)).toBe(true);
    expect(takesApprovals('ai-sdk', 'AI-SDK-5')).toBe(false);
    expect(takesApprovals('source', undefined)).toBe(false);
    expect(isAiSdkProtocol('ai-sdk-5') && isAiSdkProtocol('AI-SDK')).toBe(true);
    expect(isAiSdkProtocol(undefined) || isAiSdkProtocol('ai-sdk-6x')).toBe(false);
  });
});
