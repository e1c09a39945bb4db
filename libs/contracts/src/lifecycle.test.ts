import { expect, test } from '@jest/globals';
import { phaseOf } from './lifecycle.js';
import { calcMetrics } from './tools/profile/calc-metrics.js';

const sunsetDate = '2027-01-01';

test('a tool is active, then announced to end, then refused from the first instant of its date', () => {
  expect(phaseOf(calcMetrics, new Date())).toBe('active');
  expect(phaseOf({ ...calcMetrics, sunsetDate }, new Date('2026-12-31T23:59:59.999Z'))).toBe('sunset-announced');
  expect(phaseOf({ ...calcMetrics, sunsetDate }, new Date('2027-01-01T00:00:00.000Z'))).toBe('deprecated');
  expect(phaseOf({ ...calcMetrics, deprecated: true }, new Date())).toBe('deprecated');
});
