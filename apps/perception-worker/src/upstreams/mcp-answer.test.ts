import { describe, expect, test } from '@jest/globals';
import { answerOf, objectInText } from './mcp-answer.js';

const text = (of: string) => ({ type: 'text', text: of });
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

test.each<[string, unknown, object]>([
  ['blocks', { content: [text('a')] }, { content: [text('a')] }],
  ['structured content, declared or not', { content: [], structuredContent: { a: 1 } }, { a: 1 }],
  ['structured content with a picture beside it', { content: [text('a'), image], structuredContent: { a: 1 } }, { a: 1, content: [image] }],
  ['structured content that has its own blocks', { content: [image], structuredContent: { content: 1 } }, { content: 1 }],
  ['structured content that is a list', { content: [], structuredContent: [1] }, { result: [1] }],
  ['structured content that is null', { content: [text('a')], structuredContent: null }, { content: [text('a')] }],
  ['structured content alone', { structuredContent: { a: 1 } }, { a: 1 }],
  ['the result of 2024', { toolResult: 5 }, { result: 5 }],
  ['blocks with a field that had a meaning in 2024', { content: [text('a')], toolResult: 5 }, { content: [text('a')] }],
  ['no content', {}, { content: [] }],
  ['content that is null', { content: null }, { content: [] }],
  ['content that is text', { content: 'a' }, { content: [text('a')] }],
  ['content that is one block', { content: text('a') }, { content: [text('a')] }],
  ['a block without a type', { content: [{ text: 'a' }, { b: 1 }, 5] }, { content: [text('a'), text('{"b":1}'), text('5')] }],
  ['an isError that is null', { content: [text('a')], isError: null }, { content: [text('a')] }],
])('an answer of %s is data', (_what, given, data) => {
  expect(answerOf(given, 'docs')).toEqual({ kind: 'done', data });
});

test.each([true, 'true'])('isError %j is a refusal in the words of the tool', (isError) => {
  expect(answerOf({ content: [text('no'), image, text('way')], isError }, 'docs')).toEqual({
    kind: 'refused',
    invalidParams: false,
    message: 'no\nway',
  });
  expect(answerOf({ isError }, 'docs')).toMatchObject({ message: 'The tool failed without a word' });
});

test('a refusal without texts is told in its structured content', () => {
  expect(answerOf({ isError: true, content: [], structuredContent: { code: 5, why: 'late' } }, 'docs')).toMatchObject({
    kind: 'refused',
    message: '{"code":5,"why":"late"}',
  });
});

describe('bytes of a picture are those that clients read', () => {
  test.each([
    ['in lines', 'AAAA\r\nAAA=\n', 'AAAAAAA='],
    ['for addresses', '_-8', '/+8='],
    ['without their padding', 'AAA', 'AAA='],
  ])('%s', (_what, given, data) => {
    expect(answerOf({ content: [{ ...image, data: given }] }, 'docs')).toEqual({ kind: 'done', data: { content: [{ ...image, data }] } });
    const resource = { uri: 'https://a', blob: given };
    expect(answerOf({ content: [{ type: 'resource', resource }] }, 'docs')).toEqual({
      kind: 'done',
      data: { content: [{ type: 'resource', resource: { uri: 'https://a', blob: data } }] },
    });
  });

  test('in an address of data, with the type that it names', () => {
    const given = { type: 'image', data: 'data:image/jpeg;base64,AAAA' };
    expect(answerOf({ content: [given] }, 'docs')).toEqual({
      kind: 'done',
      data: { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/jpeg' }] },
    });
    expect(answerOf({ content: [{ ...given, mimeType: 'image/png' }] }, 'docs')).toMatchObject({
      data: { content: [{ data: 'AAAA', mimeType: 'image/png' }] },
    });
  });

  test('what is none is told, and the rest of the answer is given', () => {
    const content = [text('a'), { type: 'image', mimeType: 'image/png', data: '!!!' }, { type: 'audio', mimeType: 'audio/wav' }];
    expect(answerOf({ content }, 'docs')).toEqual({
      kind: 'done',
      data: { content: [text('a'), text('[image/png whose bytes cannot be read]'), text('[audio/wav whose bytes cannot be read]')] },
    });
  });
});

test('links to resources have the addresses that they have here; texts, and what clients fetch themselves, stay as they are', () => {
  const link = (uri: unknown) => ({ type: 'resource_link', uri, name: 'a' });
  const embedded = (uri: string) => ({ type: 'resource', resource: { uri, text: 'see file:///a' } });
  const others = [text('see file:///a'), image, link(''), link(7), { type: 'resource', resource: 'file:///a' }, { type: 'resource' }];
  const fetched = ['https://example.com/a', 'HTTP://example.com', 'data:,a'];
  const content = [...others, ...fetched.map(link), ...fetched.map(embedded)];
  expect(answerOf({ content }, 'docs')).toEqual({ kind: 'done', data: { content } });
  const here = 'outside://docs/file:///a';
  expect(answerOf({ content: [link('file:///a'), embedded('file:///a')] }, 'docs')).toEqual({
    kind: 'done',
    data: { content: [link(here), embedded(here)] },
  });
  const page = 'ui://docs/app/view';
  expect(answerOf({ content: [link('ui://app/view'), embedded('ui://app/view')] }, 'docs')).toEqual({
    kind: 'done',
    data: { content: [link(page), embedded(page)] },
  });
  expect(answerOf({ content: [link('file:///a')], structuredContent: { uri: 'file:///a' } }, 'docs')).toEqual({
    kind: 'done',
    data: { uri: 'file:///a', content: [link(here)] },
  });
});

test('an object is read from the one text of an answer, and nothing else is', () => {
  expect(objectInText({ content: [text('{"a":1}')] })).toEqual({ a: 1 });
  for (const data of [
    { content: [text('[1]')] },
    { content: [text('a')] },
    { content: [text('{}'), image] },
    { content: [] },
    { a: 1 },
    null,
  ])
    expect(objectInText(data)).toBeNull();
});
