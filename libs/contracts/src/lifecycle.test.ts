import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ToolContract } from './define-tool.js';
import { lifecycleWarnings, phaseOf, type Phase } from './lifecycle.js';
import { calcMetrics } from './tools/profile/calc-metrics.js';

const ending: ToolContract = { ...calcMetrics, sunsetDate: '2027-01-01' };
const exact: ToolContract = { ...calcMetrics, sunsetDate: '2027-01-01T12:00:00+08:00' };

describe('the phase of a tool', () => {
  test.each<[string, ToolContract, string, Phase]>([
    ['without a date', calcMetrics, '2026-12-31T00:00:00Z', 'active'],
    ['without a date, at any time', calcMetrics, '2099-01-01T00:00:00Z', 'active'],
    ['long before its date', ending, '2020-01-01T00:00:00Z', 'sunset-announced'],
    ['at the last instant before its date', ending, '2026-12-31T23:59:59.999Z', 'sunset-announced'],
    ['at the first instant of its date', ending, '2027-01-01T00:00:00.000Z', 'deprecated'],
    ['after its date', ending, '2027-01-01T00:00:00.001Z', 'deprecated'],
    ['years after its date', ending, '2040-01-01T00:00:00Z', 'deprecated'],
    ['whose date has a time and a zone, before it', exact, '2027-01-01T03:59:59.999Z', 'sunset-announced'],
    ['whose date has a time and a zone, from it on', exact, '2027-01-01T04:00:00.000Z', 'deprecated'],
    ['that is deprecated, before its date', { ...ending, deprecated: true }, '2020-01-01T00:00:00Z', 'deprecated'],
    ['that is deprecated without a date', { ...calcMetrics, deprecated: true }, '2020-01-01T00:00:00Z', 'deprecated'],
  ])('%s', (...[, contract, now, phase]) => {
    expect(phaseOf(contract, new Date(now))).toBe(phase);
  });

  test('never goes back', () => {
    const order: readonly Phase[] = ['active', 'sunset-announced', 'deprecated'];
    const times = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(times, times, (a, b) => {
        const [earlier, later] = [a, b].toSorted((x, y) => x.getTime() - y.getTime()).map((time) => phaseOf(ending, time));
        expect(order.indexOf(later ?? 'active')).toBeGreaterThanOrEqual(order.indexOf(earlier ?? 'active'));
      }),
    );
  });
});

describe('the warning of a tool', () => {
  const before = new Date('2026-12-31T23:59:59.999Z');
  const from = new Date('2027-01-01T00:00:00.000Z');

  test('names its date, and its replacement where it has one', () => {
    expect(lifecycleWarnings(ending, before)).toEqual(['calc_metrics ends on 2027-01-01']);
    expect(lifecycleWarnings({ ...ending, replacement: 'calc_body' }, before)).toEqual(['calc_metrics ends on 2027-01-01; use calc_body']);
  });

  test('is given before the date alone: from it on the tool is refused', () => {
    expect(lifecycleWarnings(ending, from)).toEqual([]);
    expect(lifecycleWarnings(calcMetrics, before)).toEqual([]);
    expect(lifecycleWarnings({ ...ending, deprecated: true }, before)).toEqual([]);
  });
});
