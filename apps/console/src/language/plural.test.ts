import { expect, test } from '@jest/globals';
import { plural } from './plural.js';

test.each([
  ['en', 0, '0 calls'],
  ['en', 1, '1 call'],
  ['en', 1_234, '1,234 calls'],
  ['zh-CN', 1, '1 次调用'],
  ['zh-CN', 1_234, '1,234 次调用'],
] as const)('in %s %i is %j', (language, count, text) => {
  const words = { en: plural('en', { one: '# call', other: '# calls' }), 'zh-CN': plural('zh-CN', { other: '# 次调用' }) };
  expect(words[language](count)).toBe(text);
});
