// The days on which libraries differ. Each row was written before a library was chosen (decision 93).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Cron } from './cron.js';
import { Plan } from './plan.js';
import { isTimeZone, localAt } from '#lib/platform';

const plan = (cron: string, timeZone = 'UTC', bounds: { readonly startsAt?: string; readonly endsAt?: string } = {}) =>
  new Plan({
    cron,
    everyMs: null,
    timeZone,
    startsAt: bounds.startsAt === undefined ? null : Date.parse(bounds.startsAt),
    endsAt: bounds.endsAt === undefined ? null : Date.parse(bounds.endsAt),
    madeAt: 0,
  });

/** The next moments after one, as UTC without the year. */
function following(one: Plan, after: string, many: number): readonly string[] {
  const found: number[] = [];
  for (let at: number | null = Date.parse(after); found.length < many && (at = one.next(at)) !== null;) found.push(at);
  return found.map((at) => new Date(at).toISOString().slice(5, 16));
}

/** How often something is called from one local midnight to the next. */
function onDay(cron: string, timeZone: string, day: string): number {
  const start = Date.parse(`${day}T00:00:00Z`) - 15 * 3_600_000;
  const found = plan(cron, timeZone).newest(start, start + 54 * 3_600_000, 10_000);
  return found.filter((at) => new Date(localAt(timeZone, at)).toISOString().startsWith(day)).length;
}

describe('A day of 23 hours', () => {
  test.each([
    ['a time that is skipped comes as long after the gap began', '30 2 * * *', '03-28T12:00', ['03-29T01:30', '03-30T00:30']],
    [
      'each of the skipped times comes',
      '*/15 2 * * *',
      '03-28T12:00',
      ['03-29T01:00', '03-29T01:15', '03-29T01:30', '03-29T01:45', '03-30T00:00'],
    ],
    ['what falls on another time comes once', '30 2,3 * * *', '03-28T12:00', ['03-29T01:30', '03-30T00:30', '03-30T01:30']],
    ['a later time that comes earlier is not passed over', '30 2 29 3 *', '03-29T00:59', ['03-29T01:30']],
    ['an hour has no gap', '0 * * * *', '03-28T23:30', ['03-29T00:00', '03-29T01:00', '03-29T02:00']],
    ['half hours have none', '*/30 * * * *', '03-29T00:10', ['03-29T00:30', '03-29T01:00', '03-29T01:30', '03-29T02:00']],
    ['from inside the shifted hour', '15,45 2 * * *', '03-29T01:20', ['03-29T01:45', '03-30T00:15']],
  ] as const)('in Berlin: %s', (_, cron, after, moments) => {
    expect(following(plan(cron, 'Europe/Berlin'), `2026-${after}:00Z`, moments.length)).toEqual(moments);
  });

  test.each([
    ['* * * * *', 1_380],
    ['*/15 * * * *', 92],
    ['0 * * * *', 23],
    ['30 2 * * *', 1],
    ['0 3 * * *', 1],
  ])('%s comes %d times in Berlin', (cron, times) => {
    expect(onDay(cron, 'Europe/Berlin', '2026-03-29')).toBe(times);
  });
});

describe('A day of 25 hours', () => {
  test.each([
    ['a time that comes twice is called the first time', '30 2 * * *', '10-24T12:00', ['10-25T00:30', '10-26T01:30']],
    ['not again from inside of the first', '30 2 * * *', '10-25T00:45', ['10-26T01:30']],
    ['not again from inside of the second', '30 2 * * *', '10-25T01:10', ['10-26T01:30']],
    ['an hour comes once', '0 * * * *', '10-24T22:30', ['10-24T23:00', '10-25T00:00', '10-25T02:00', '10-25T03:00']],
    ['half hours come once', '*/30 * * * *', '10-24T23:50', ['10-25T00:00', '10-25T00:30', '10-25T02:00', '10-25T02:30']],
    ['from between', '*/30 * * * *', '10-25T01:10', ['10-25T02:00', '10-25T02:30']],
  ])('in Berlin: %s', (_, cron, after, moments) => {
    expect(following(plan(cron, 'Europe/Berlin'), `2026-${after}:00Z`, moments.length)).toEqual(moments);
  });

  test.each([
    ['* * * * *', 1_440],
    ['0 * * * *', 24],
    ['30 2 * * *', 1],
  ])('%s comes %d times in Berlin', (cron, times) => {
    expect(onDay(cron, 'Europe/Berlin', '2026-10-25')).toBe(times);
  });
});

describe('A shift of half an hour, on Lord Howe Island', () => {
  test.each([
    ['autumn: 01:45 comes once', '45 1 * * *', '04-04T00:00', ['04-04T14:45', '04-05T15:15']],
    ['autumn: each quarter comes once', '*/15 * * * *', '04-04T14:20', ['04-04T14:30', '04-04T14:45', '04-04T15:30', '04-04T15:45']],
    ['autumn: 02:00, where cron-parser throws', '0 2 * * *', '04-04T00:00', ['04-04T15:30', '04-05T15:30']],
    ['spring: 02:15 is 02:45', '15 2 * * *', '10-03T00:00', ['10-03T15:45', '10-04T15:15']],
    ['spring: each quarter', '*/15 * * * *', '10-03T14:50', ['10-03T15:00', '10-03T15:15', '10-03T15:30', '10-03T15:45', '10-03T16:00']],
  ])('%s', (_, cron, after, moments) => {
    expect(following(plan(cron, 'Australia/Lord_Howe'), `2026-${after}:00Z`, moments.length)).toEqual(moments);
  });
});

describe('A zone that changed its rule', () => {
  test.each([
    ['Istanbul stayed in summer in 2016', 'Europe/Istanbul', '30 2 * * *', '2016-10-29T12:00', ['10-29T23:30', '10-30T23:30']],
    ['São Paulo skipped midnight in 2018', 'America/Sao_Paulo', '0 0 * * *', '2018-11-03T12:00', ['11-04T03:00', '11-05T02:00']],
    ['and does not any more in 2019', 'America/Sao_Paulo', '0 0 * * *', '2019-11-02T12:00', ['11-03T03:00', '11-04T03:00']],
    ['Almaty set its clocks back for good', 'Asia/Almaty', '30 23 * * *', '2024-02-29T00:00', ['02-29T17:30', '03-01T18:30']],
    ['Samoa had no 30 December 2011', 'Pacific/Apia', '0 12 * * *', '2011-12-29T00:00', ['12-29T22:00', '12-30T22:00', '12-31T22:00']],
    ['Morocco goes back for Ramadan', 'Africa/Casablanca', '30 2 * * *', '2026-02-14T00:00', ['02-14T01:30', '02-15T01:30', '02-16T02:30']],
  ])('%s', (_, zone, cron, after, moments) => {
    expect(following(plan(cron, zone), `${after}:00Z`, moments.length)).toEqual(moments);
  });
});

test.each([
  ['*/20 59 1 * * *', '03-29T00:58', 3],
  ['0 0 29 2 *', '01-01T00:00', 1],
  ['0 9 * JAN-MAR MON-FRI', '01-01T00:00', 2],
  ['0 0 L * *', '01-01T00:00', 2],
  ['0 0 * * 5L', '01-01T00:00', 2],
  ['0 0 * * 1#1', '01-01T00:00', 2],
  ['0 0 13 * 5', '01-01T00:00', 2],
])('%s is read', (cron, after, many) => {
  expect(following(plan(cron), `2026-${after}:00Z`, many)).toHaveLength(many);
});

test.each([
  ['', 'five or six fields'],
  ['* * * *', 'five or six fields'],
  ['* * * * * * *', 'five or six fields'],
  ['@daily', 'five or six fields'],
  ['H * * * *', 'cannot be read'],
  ['? * * * *', 'cannot be read'],
  ['60 * * * *', 'cannot be read'],
  ['* 24 * * *', 'cannot be read'],
  ['*/0 * * * *', 'cannot be read'],
  ['* * * * foo', 'cannot be read'],
  ['0 0 30 2 *', ''],
  ['0 0 31 2,4,6,9,11 *', 'no day'],
  ['0 0 1 * 1#5', 'needs *'],
  [`${'1,'.repeat(150)}1 * * * *`, 'cannot be read'],
])('%s is refused', (cron, why) => {
  const begun = performance.now();
  expect(() => new Cron(cron)).toThrow(why);
  expect(performance.now() - begun).toBeLessThan(200);
});

test('A plan keeps to its start and its end, both included', () => {
  const bounded = plan('0 * * * *', 'UTC', { startsAt: '2026-01-01T02:00:00Z', endsAt: '2026-01-01T04:00:00Z' });
  expect(following(bounded, '2025-06-01T00:00:00Z', 9)).toEqual(['01-01T02:00', '01-01T03:00', '01-01T04:00']);
});

test('A period is counted from the start, else from when the schedule was made', () => {
  const fields = { cron: null, everyMs: 7_000, timeZone: 'UTC', endsAt: null, madeAt: 1_000 };
  const counted = new Plan({ ...fields, startsAt: null });
  expect([counted.next(0), counted.next(7_999), counted.next(8_000)]).toEqual([8_000, 8_000, 15_000]);
  const started = new Plan({ ...fields, startsAt: 50_000 });
  expect([started.next(0), started.next(50_000), started.newest(0, 64_000, 9)]).toEqual([50_000, 57_000, [50_000, 57_000, 64_000]]);
});

test('The newest moments are those that following each other gives', () => {
  const zones = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Africa/Casablanca', 'UTC'];
  const crons = ['*/7 * * * *', '*/15 1-3 * * *', '30 2 * * *', '0 0 * * *', '59 1,2 * * 0', '10,40 */2 * * *'];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(...crons),
      fc.constantFrom(
        '2026-03-29T00:00Z',
        '2026-10-25T00:00Z',
        '2026-04-04T14:00Z',
        '2026-10-03T14:00Z',
        '2018-11-04T02:00Z',
        '2026-02-15T01:00Z',
      ),
      fc.integer({ min: -180, max: 180 }),
      fc.integer({ min: 1, max: 400 }),
      (zone, cron, day, offset, length) => {
        const one = plan(cron, zone);
        const from = Date.parse(day) + offset * 60_000;
        const until = from + length * 60_000;
        const forward: number[] = [];
        for (let at = one.next(from); at !== null && at <= until; at = one.next(at)) forward.push(at);
        expect(one.newest(from, until, 1_000)).toEqual(forward);
        expect(one.newest(from, until, 3)).toEqual(forward.slice(-3));
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Etc/GMT+5', true],
  ['+02:00', false],
  ['Berlin', false],
  ['', false],
  ['Europe/Berlin\n', false],
])('%j as a time zone: %s', (name, is) => {
  expect(isTimeZone(name)).toBe(is);
});
