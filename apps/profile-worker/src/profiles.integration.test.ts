import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '#lib/platform';
import { givenStores } from '#lib/testing';
import { profilesIn } from './profiles.js';

const tenantId = `profiles-${randomUUID()}`;
let database: Database;

beforeAll(async () => {
  database = createDatabase({ url: givenStores().databaseUrl, poolSize: 1, name: 'profiles-test' });
  await database.profile.create({
    data: {
      tenantId,
      userId: 'u',
      age: 41,
      gender: 'other',
      heightCm: 172.5,
      weightKg: 61,
      activityLevel: 'very_active',
      healthGoals: ['睡眠'],
      medicalConditions: [],
      dietaryRestrictions: [],
      lastUpdated: new Date('2026-01-02T03:04:05.678Z'),
    },
  });
});
afterAll(async () => {
  await database.profile.deleteMany({ where: { tenantId } });
  await database.$disconnect();
});

test('a profile is found with every field as it was stored', async () => {
  expect(await profilesIn(database).find(tenantId, 'u')).toMatchObject({
    userId: 'u',
    gender: 'other',
    heightCm: 172.5,
    activityLevel: 'very_active',
    healthGoals: ['睡眠'],
    medicalConditions: [],
    lastUpdated: new Date('2026-01-02T03:04:05.678Z'),
  });
});

test.each([
  ['another tenant', `${tenantId}-2`, 'u'],
  ['another user', tenantId, 'U'],
  ['no user', tenantId, ''],
])('a profile of %s is not found', async (_whose, tenant, user) => {
  expect(await profilesIn(database).find(tenant, user)).toBeNull();
});

test('a text that tries to leave its place is a user id like any other', async () => {
  expect(await profilesIn(database).find(tenantId, "u' OR '1'='1")).toBeNull();
});

const given = (user_id: string, facts: object = {}) => ({
  user_id,
  age: 30,
  gender: 'other' as const,
  height_cm: 172.5,
  weight_kg: 70.1,
  activity_level: 'light' as const,
  health_goals: ['a "quoted", {braced} \\ goal', 'NULL', '健康'],
  medical_conditions: [],
  dietary_restrictions: ['vegetarian'],
  ...facts,
});

test('profiles are added, changed and left alone, those of other tenants and users too, and a dry run only counts', async () => {
  const { put, find } = profilesIn(database);
  const rows = [given('new'), given('u', { last_updated: '2026-11-21T01:30:00.000Z' })];
  expect(await put(tenantId, rows, { isDryRun: true })).toEqual({ added: 1, changed: 1 });
  expect(await find(tenantId, 'new')).toBeNull();
  const startedAt = Date.now();
  expect(await put(tenantId, rows, { isDryRun: false })).toEqual({ added: 1, changed: 1 });
  const added = await find(tenantId, 'new');
  expect(added).toMatchObject({
    tenantId,
    age: 30,
    heightCm: 172.5,
    weightKg: 70.1,
    activityLevel: 'light',
    healthGoals: ['a "quoted", {braced} \\ goal', 'NULL', '健康'],
    medicalConditions: [],
  });
  expect(Number(added?.lastUpdated)).toBeGreaterThanOrEqual(startedAt - 60_000);
  expect(await find(tenantId, 'u')).toMatchObject({
    lastUpdated: new Date('2026-11-21T01:30:00.000Z'),
    dietaryRestrictions: ['vegetarian'],
  });
  expect(await put(tenantId, rows, { isDryRun: false })).toEqual({ added: 0, changed: 0 });
  expect((await find(tenantId, 'new'))?.lastUpdated).toEqual(added?.lastUpdated);
  expect(await find(`${tenantId}-2`, 'new')).toBeNull();
});
