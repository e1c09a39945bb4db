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
