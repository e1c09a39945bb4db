import { expect, test } from '@jest/globals';
import { fileNameOf } from './file-name.js';

test.each([
  ['Sales 2026.pdf', 'Sales 2026.pdf'],
  ['../../etc/passwd', 'etc passwd'],
  ['报告 😀.pdf', '报告 😀.pdf'],
  ['a\0b\u202Efdp.exe', 'a b fdp.exe'],
  ['..', 'file'],
  [`${'界'.repeat(100)}.tar`, `${'界'.repeat(76)}.tar`],
  [`a.${'x'.repeat(100)}`, `a.${'x'.repeat(78)}`],
])('%j is %j', (given, name) => {
  expect(fileNameOf(given, 'file')).toBe(name);
});
