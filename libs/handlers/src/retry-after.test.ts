import { expect, test } from '@jest/globals';
import { retryAfterMs } from './retry-after.js';

const now = Date.parse('2026-11-01T08:00:00Z');

test.each([
  ['2', 2_000],
  ['0', 0],
  ['86400', 86_400_000],
  ['99999999', 86_400_000],
  ['Sun, 01 Nov 2099 08:00:03 GMT', 86_400_000],
  ['Sun, 01 Nov 2026 08:00:03 GMT', 3_000],
  ['Sun, 01 Nov 2026 07:00:00 GMT', 0],
  ['-1', undefined],
  ['1.5', undefined],
  ['abc', undefined],
  ['', undefined],
  ['2026-11-01', undefined],
  [null, undefined],
] as const)('%p asks for %p ms', (header, ms) => expect(retryAfterMs(header, now)).toBe(ms));
