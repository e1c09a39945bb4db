import { describe, expect, test } from '@jest/globals';

import { checkRow, columns } from './row-schema.js';

const good = {
  user_id: 'user_001',
  age: 30,
  gender: 'male',
  height_cm: 175.5,
  weight_kg: 70,
  activity_level: 'moderate',
  health_goals: ['weight_loss'],
  medical_conditions: [],
  dietary_restrictions: ['vegetarian', 'gluten_free'],
  last_updated: '2026-11-21T09:30:00.000Z',
};
const faultsOf = (fields: unknown) => {
  const checked = checkRow(fields);
  return 'faults' in checked ? checked.faults : [];
};

test('a good row passes as it is', () => {
  expect(checkRow(good)).toEqual({ profile: good });
  expect(Object.keys(good).toSorted()).toEqual(columns.toSorted());
});

test('limits are inclusive', () => {
  for (const change of [{ age: 1 }, { age: 120 }, { height_cm: 100 }, { height_cm: 250 }, { weight_kg: 30 }, { weight_kg: 300 }]) {
    expect(faultsOf({ ...good, ...change })).toEqual([]);
  }
  expect(faultsOf({ ...good, user_id: 'x'.repeat(128), health_goals: Array.from({ length: 100 }, String) })).toEqual([]);
});

describe('a bad row is refused with the name of the field', () => {
  test.each<[string, object]>([
    ['age', { age: 0 }],
    ['age', { age: 121 }],
    ['age', { age: 30.5 }],
    ['age', { age: '30' }],
    ['age', { age: true }],
    ['gender', { gender: 'Male' }],
    ['height_cm', { height_cm: 99.99 }],
    ['height_cm', { height_cm: 250.01 }],
    ['height_cm', { height_cm: Number.NaN }],
    ['weight_kg', { weight_kg: 29.99 }],
    ['weight_kg', { weight_kg: Number.POSITIVE_INFINITY }],
    ['activity_level', { activity_level: 'lightly_active' }],
    ['user_id', { user_id: '' }],
    ['user_id', { user_id: 12 }],
    ['user_id', { user_id: 'x'.repeat(129) }],
    ['user_id', { user_id: 'a\0b' }],
    ['user_id', { user_id: '\uD83D' }],
    ['health_goals', { health_goals: null }],
    ['health_goals', { health_goals: 'weight_loss' }],
    ['health_goals[1]', { health_goals: ['a', ''] }],
    ['medical_conditions[0]', { medical_conditions: ['a\0'] }],
    ['dietary_restrictions', { dietary_restrictions: Array.from({ length: 101 }, String) }],
    ['last_updated', { last_updated: '2026-11-21T09:30:00' }],
    ['last_updated', { last_updated: '2026-02-30T09:30:00Z' }],
    ['last_updated', { last_updated: '21.11.2026' }],
    ['last_updated', { last_updated: '0000-01-01T00:00:00Z' }],
    ['last_updated', { last_updated: null }],
  ])('%s of %j', (field, change) => {
    const faults = faultsOf({ ...good, ...change });
    expect(faults).toHaveLength(1);
    expect(faults[0]?.startsWith(`${field}: `)).toBe(true);
  });

  test.each([[null], [[]], ['text'], [12]])('%j is no row', (fields) => {
    expect(faultsOf(fields)).toHaveLength(1);
  });
});

test('every fault of a row is told', () => {
  expect(faultsOf({ ...good, age: 0, weight_kg: 1 })).toHaveLength(2);
});

test('a missing field is called missing, and only last_updated may be', () => {
  for (const column of columns) {
    const { [column]: _, ...rest } = good;
    expect(faultsOf(rest)).toEqual(column === 'last_updated' ? [] : [`${column}: is missing`]);
  }
});

test('last_updated is kept as the same instant in UTC', () => {
  const utcOf = (last_updated: string) => checkRow({ ...good, last_updated });
  expect(utcOf('2026-11-21T09:30:00+08:00')).toMatchObject({ profile: { last_updated: '2026-11-21T01:30:00.000Z' } });
  // Postgres refuses an offset of 20 hours; the instant is good all the same.
  expect(utcOf('2026-11-21T09:30:00+20:00')).toMatchObject({ profile: { last_updated: '2026-11-20T13:30:00.000Z' } });
});

describe('a reason is safe to print', () => {
  test('it never repeats a value', () => {
    const secret = 'diabetes-xyz';
    const bad = { ...good, gender: secret, age: secret, medical_conditions: secret, last_updated: secret, user_id: { secret } };
    expect(faultsOf(bad)).toHaveLength(5);
    expect(faultsOf(bad).join()).not.toContain(secret);
  });

  test('names of unknown fields cannot steer the terminal', () => {
    const [fault] = faultsOf({ ...good, '\u001b[2J\u0007': 1 });
    expect(fault).toMatch(/unrecognized key/i);
    expect(fault).not.toMatch(/\p{Cc}/u);
  });

  test('it stays short', () => {
    const faults = faultsOf({ ...good, health_goals: Array.from({ length: 90 }, () => ''), ['k'.repeat(100_000)]: 1 });
    expect(faults).toHaveLength(11);
    expect(Math.max(...faults.map((fault) => fault.length))).toBeLessThan(300);
  });
});
