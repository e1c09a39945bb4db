import { expect, test } from '@jest/globals';
import { contentAttributes, spanContent } from './span-content.js';

test('content is off unless the operator turns it on', () => {
  expect(spanContent.isTaken).toBe(false);
});

test('content is JSON, under the names of the convention', () => {
  expect(spanContent.of('arguments', { city: 'Bern' })).toEqual({ 'gen_ai.tool.call.arguments': '{"city":"Bern"}' });
  expect(spanContent.of('result', null)).toEqual({ 'gen_ai.tool.call.result': 'null' });
  expect(spanContent.of('result', undefined)).toEqual({});
  expect([...contentAttributes]).toEqual(['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result']);
});

test.each([0, 1])('what is long is cut between two characters (%i)', (before) => {
  const { 'gen_ai.tool.call.result': text } = spanContent.of('result', 'x'.repeat(before) + '😀'.repeat(10_000));
  expect(String(text).length).toBeLessThanOrEqual(8_193);
  expect(String(text).isWellFormed()).toBe(true);
  expect(text).toMatch(/😀…$/u);
});
