import { describe, expect, test } from '@jest/globals';
import { needsModelTools, relayedAnswer, relayedForm, relayedMessage, relayedRequest } from './relayed.js';

const said = { role: 'assistant', model: 'm', content: { type: 'text', text: 'waves' } };
const sampling = relayedRequest.parse({
  method: 'sampling/createMessage',
  params: {
    messages: [{ role: 'user', content: { type: 'text', text: 'a secret' } }],
    maxTokens: 9,
    includeContext: 'allServers',
    _meta: {},
  },
});
const roots = relayedRequest.parse({ method: 'roots/list' });

test('what no client was offered does not reach one, and people see no word for the model', () => {
  expect(JSON.stringify(sampling)).not.toContain('allServers');
  expect(relayedMessage('docs', sampling)).toBe('docs asks your model for an answer of at most 9 tokens');
  expect(relayedForm(sampling)).toMatchObject({ type: 'object', required: ['text'] });
  const params = { messages: [], maxTokens: 1 };
  for (const wrong of [
    { ...params, tools: [{ name: 'a' }] },
    { ...params, toolChoice: { mode: 'any' } },
    { ...params, maxTokens: 0 },
    { ...params, messages: [{ role: 'system', content: [] }] },
  ])
    expect(relayedRequest.safeParse({ method: 'sampling/createMessage', params: wrong }).success).toBe(false);
});

describe('tools of a server for the model', () => {
  const tools = [{ name: 'double', inputSchema: { type: 'object', properties: { n: { type: 'number' } } } }];
  const use = { type: 'tool_use', id: 'a', name: 'double', input: { n: 21 } };
  const result = { type: 'tool_result', toolUseId: 'a', content: [{ type: 'text', text: '42' }] };
  const asking = (params: object) =>
    relayedRequest.safeParse({ method: 'sampling/createMessage', params: { messages: [], maxTokens: 9, ...params } });
  const talk = (...messages: readonly (object | readonly object[])[]) =>
    messages.map((content, at) => ({ role: at % 2 === 0 ? 'assistant' : 'user', content }));

  test.each([
    [{ tools }, true],
    [{ tools: [] }, true],
    [{ toolChoice: { mode: 'none' } }, true],
    [{ messages: talk(use, result) }, true],
    [{ messages: talk({ type: 'text', text: 'a' }) }, false],
  ])('%# needs a client with sampling.tools: %s', (params, needs) => {
    expect(needsModelTools(relayedRequest.parse(asking(params).data))).toBe(needs);
  });

  test.each([
    [talk(use, { type: 'text', text: 'a' }), 'one result for each use'],
    [talk(use, { ...result, toolUseId: 'b' }), 'one result for each use'],
    [talk([use, { ...use, id: 'b' }], result), 'one result for each use'],
    [talk({ type: 'text', text: 'a' }, result), 'one result for each use'],
    [talk(use, [result, { type: 'text', text: 'a' }]), 'has nothing else'],
  ])('messages %# that clients refuse are refused here', (messages, words) => {
    expect(asking({ messages }).error?.issues).toMatchObject([{ message: expect.stringContaining(words) }]);
  });

  test('the model may use several at once where it was given some, and none elsewhere', () => {
    const given = relayedRequest.parse(asking({ tools }).data);
    const answer = { ...said, content: [use, { ...use, id: 'b' }], stopReason: 'toolUse' };
    expect(relayedAnswer(given, answer)).toEqual(answer);
    expect(relayedMessage('docs', given)).toBe('docs asks your model for an answer of at most 9 tokens, and gives it a tool of its own');
    expect(() => relayedAnswer(sampling, answer)).toThrow('content.content');
    expect(() => relayedAnswer(given, { ...said, content: result })).toThrow('content.content');
  });
});

describe('an answer', () => {
  test.each([
    [sampling, { text: 'waves', model: 'm' }, said],
    [sampling, { text: 'waves' }, { ...said, model: 'a person' }],
    [sampling, { ...said, _meta: { a: 1 }, stopReason: 'endTurn' }, { ...said, stopReason: 'endTurn' }],
    [sampling, { ...said, content: [said.content] }, said],
    [roots, { roots: ' file:///a\n\nfile:///b' }, { roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] }],
    [roots, { roots: [{ uri: 'file:///a', name: 'A', more: 1 }] }, { roots: [{ uri: 'file:///a', name: 'A' }] }],
    [roots, { roots: '' }, { roots: [] }],
  ])('%# is the result that the protocol has', (request, content, result) => {
    expect(relayedAnswer(request, content)).toEqual(result);
  });

  test.each([
    [sampling, {}, 'content.text'],
    [sampling, { text: 'a', more: 1 }, 'more'],
    [sampling, { ...said, model: undefined }, 'content.model'],
    [sampling, { ...said, content: { type: 'image', data: '%', mimeType: 'image/png' } }, 'content.content'],
    [sampling, { ...said, content: [] }, 'content.content'],
    [roots, { roots: 'https://example.com' }, 'file://'],
    [roots, { roots: [{ uri: '/etc' }] }, 'file://'],
    [roots, { roots: Array.from({ length: 1_001 }, () => ({ uri: 'file:///a' })) }, 'content.roots'],
  ])('%# is refused with the field that is wrong', (request, content, words) => {
    expect(() => relayedAnswer(request, content)).toThrow(words);
  });
});
