import { expect, test } from '@jest/globals';
import { formatBytes, formatCount } from './format-count.js';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [51_547_979, '51.5 MB'],
  [3_200_000_000, '3.2 GB'],
  [4e15, '4000.0 TB'],
])('%d bytes read as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test('counts have separators', () => {
  expect([0, 999, 1_000, 12_345_678].map(formatCount)).toEqual(['0', '999', '1,000', '12,345,678']);
});
