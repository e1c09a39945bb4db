import { describe, expect, test } from '@jest/globals';
import { relayedAnswer, relayedForm, relayedMessage, relayedRequest } from './relayed.js';

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
    { ...params, tools: [] },
    { ...params, maxTokens: 0 },
    { ...params, messages: [{ role: 'system', content: [] }] },
  ])
    expect(relayedRequest.safeParse({ method: 'sampling/createMessage', params: wrong }).success).toBe(false);
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
