import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { periodAt } from './budget-period.js';

const hourMs = 3_600_000;
const at = (text: string): number => Date.parse(text);
const shown = (moment: string, period: 'day' | 'month', zone: string) => {
  const { start, end } = periodAt(at(moment), period, zone);
  return [new Date(start).toISOString(), new Date(end).toISOString()];
};

test.each([
  ['2026-11-26T23:59:59.999Z', 'day', 'UTC', '2026-11-26T00:00:00.000Z', '2026-11-27T00:00:00.000Z'],
  ['2026-11-26T22:59:59.999Z', 'day', 'Europe/Berlin', '2026-11-25T23:00:00.000Z', '2026-11-26T23:00:00.000Z'],
  ['2026-11-26T23:00:00.000Z', 'day', 'Europe/Berlin', '2026-11-26T23:00:00.000Z', '2026-11-27T23:00:00.000Z'],
  ['2026-11-26T16:00:00.000Z', 'day', 'Asia/Shanghai', '2026-11-26T16:00:00.000Z', '2026-11-27T16:00:00.000Z'],
  // 23 hours, 25 hours.
  ['2026-03-29T12:00:00.000Z', 'day', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['2026-10-25T12:00:00.000Z', 'day', 'Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  // Midnight is skipped: the day begins at 01:00.
  ['2026-03-29T05:00:00.000Z', 'day', 'Asia/Beirut', '2026-03-28T22:00:00.000Z', '2026-03-29T21:00:00.000Z'],
  ['2026-02-28T23:30:00.000Z', 'month', 'UTC', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['2026-12-31T23:30:00.000Z', 'month', 'Europe/Berlin', '2026-12-31T23:00:00.000Z', '2027-01-31T23:00:00.000Z'],
] as const)('%s is in the %s of %s from %s to %s', (moment, period, zone, start, end) => {
  expect(shown(moment, period, zone)).toEqual([start, end]);
});

test('periods follow each other without gap or overlap, whatever the clocks do', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Beirut', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Pacific/Apia'];
  fc.assert(
    fc.property(
      fc.integer({ min: at('2008-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') }),
      fc.constantFrom(...zones),
      fc.constantFrom('day' as const, 'month' as const),
      (moment, zone, period) => {
        const found = periodAt(moment, period, zone);
        expect(found.start <= moment && moment < found.end).toBe(true);
        expect(periodAt(found.end - 1, period, zone)).toEqual(found);
        expect(periodAt(found.end, period, zone).start).toBe(found.end);
        if (period === 'day' && zone !== 'Pacific/Apia') expect((found.end - found.start) / hourMs).toBeCloseTo(24, -1);
      },
    ),
  );
});
