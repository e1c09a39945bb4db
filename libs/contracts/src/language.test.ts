import { expect, test } from '@jest/globals';
import { languageIn } from './language.js';

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['zh', 'zh'],
  ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
  ['ZH-Hant-TW', 'zh'],
  ['en-US,en;q=0.9,zh-CN;q=0.8', 'en'],
  ['de, zh;q=0.7, en;q=0.3', 'zh'],
  ['de', 'en'],
  ['zh;q=0', 'en'],
  ['en;q=0.1, zh ; q=0.5', 'zh'],
  ['zh;q=x', 'en'],
  ['zhx', 'en'],
  [`${'x,'.repeat(100_000)}zh`, 'en'],
])('%j is answered in %s', (header, language) => {
  expect(languageIn(header)).toBe(language);
});
