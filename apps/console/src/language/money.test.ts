import { expect, test } from '@jest/globals';
import { formatMicros } from './money.js';

test.each([
  [0, '$0.00'],
  [12_500_000, '$12.50'],
  [1_234_567_890, '$1,234.57'],
  [40_000, '$0.04'],
  [12_345, '$0.0123'],
  [425, '$0.000425'],
])('%d millionths of a dollar are %s', (micros, shown) => expect(formatMicros(micros, 'en')).toBe(shown));
