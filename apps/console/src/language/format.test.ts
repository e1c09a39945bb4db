import { expect, test } from '@jest/globals';
import { formatCount, formatMs } from './format.js';

const units: Readonly<Record<string, number>> = { µs: 0.001, ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };

/** What a reader takes it for, in ms. */
const readMs = (text: string) =>
  [...text.matchAll(/([\d.]+) (\S+)/g)].reduce((sum, [, value, unit = '']) => sum + Number(value) * (units[unit] ?? NaN), 0);

test('a duration is read as what it is, to half a unit of the last digit', () => {
  for (let ms = 0.001; ms < 90_000_000; ms *= 1.013) {
    const most = ms < 1 ? 0.0005 : ms < 10 ? 0.05 : ms < 1_000 ? 0.5 : ms < 10_000 ? 5 : ms < 60_000 ? 50 : ms < 3_600_000 ? 500 : 60_000;
    expect([ms, Math.abs(readMs(formatMs(ms)) - ms) <= most * 1.0001]).toEqual([ms, true]);
  }
});

test.each([
  [0, '0 ms'],
  [0.48, '480 µs'],
  [0.9951, '1.0 ms'],
  [9.95, '10 ms'],
  [999.6, '1 s'],
  [3_200, '3.2 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min'],
  [125_000, '2 min 5 s'],
  [11_400_000, '3 h 10 min'],
])('%d ms is %s', (ms, shown) => expect(formatMs(ms)).toBe(shown));

test('a count has its separators, and from 100,000 on three digits', () => {
  expect([0, 999, 1_800, 99_999].map((value) => formatCount(value, 'en'))).toEqual(['0', '999', '1,800', '99,999']);
  expect(formatCount(1_234_567, 'en')).toBe('1.2M');
  expect(formatCount(123_456, 'zh-CN')).toBe('12.3万');
});
