import { expect, test } from '@jest/globals';
import { bodyOf, newForm, spanOf, type ScheduleForm } from './form.js';

const form: ScheduleForm = { ...newForm(), name: 'nightly', tool: 'get_weather', timeZone: 'Europe/Berlin' };

test('a span is told in its largest whole unit', () => {
  expect([spanOf(90_000), spanOf(60_000), spanOf(86_400_000), spanOf(1_500)]).toEqual([
    ['90', 's'],
    ['1', 'min'],
    ['1', 'd'],
    ['1.5', 's'],
  ]);
});

test('exactly one of cron and interval is sent, and bounds that are empty are left out', () => {
  expect(bodyOf(form)).toEqual({
    name: 'nightly',
    tool: 'get_weather',
    arguments: {},
    cron: '0 9 * * *',
    time_zone: 'Europe/Berlin',
    overlap: 'skip',
    missed: 'once',
    jitter_ms: 0,
  });
  expect(bodyOf({ ...form, kind: 'every', every: '1.5', unit: 'h' })).toMatchObject({ every_ms: 5_400_000 });
  expect(bodyOf({ ...form, kind: 'every' })).not.toHaveProperty('cron');
});

test.each([
  ['a name', { name: '' }],
  ['a tool', { tool: '' }],
  ['a cron', { cron: ' ' }],
  ['an interval', { kind: 'every', every: '' }],
  ['an interval that is a number', { kind: 'every', every: 'soon' }],
] as const)('without %s nothing is sent', (_, change) => expect(bodyOf({ ...form, ...change })).toBeNull());
