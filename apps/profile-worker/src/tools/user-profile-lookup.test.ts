import { expect, test } from '@jest/globals';
import { runTool } from '#lib/handlers';
import type { ProfileServices } from '../services.js';
import { handleUserProfileLookup } from './user-profile-lookup.js';

const profile = {
  tenantId: 't',
  userId: 'u1',
  age: 41,
  gender: 'other',
  heightCm: 172.5,
  weightKg: 61,
  activityLevel: 'very_active',
  healthGoals: [],
  medicalConditions: ['diabetes'],
  dietaryRestrictions: [],
  lastUpdated: new Date('2026-01-02T03:04:05.678Z'),
} as const;

function lookUp(user_id: string, find: ProfileServices['profiles']['find']) {
  const caller = { tenantId: 't', userId: user_id, tier: 'pro', scopes: [], credentialId: 'k' } as const;
  const attempt = {
    jobId: 'j',
    number: 1,
    input: { user_id },
    caller,
    sessionId: null,
    stop: new AbortController().signal,
    onProgress: () => undefined,
  };
  const put = () => Promise.reject(new Error('a lookup stores nothing'));
  return runTool(handleUserProfileLookup, { profiles: { find, put }, bmiStandard: 'who' }, attempt);
}

test('answers every field of the source, empty lists and other genders included', async () => {
  const row = { ...profile, healthGoals: [], medicalConditions: ['diabetes'], dietaryRestrictions: [] };
  expect(await lookUp('u1', async () => row)).toMatchObject({
    kind: 'done',
    data: {
      user_id: 'u1',
      age: 41,
      gender: 'other',
      height_cm: 172.5,
      weight_kg: 61,
      activity_level: 'very_active',
      health_goals: [],
      medical_conditions: ['diabetes'],
      dietary_restrictions: [],
      last_updated: '2026-01-02T03:04:05.678Z',
    },
  });
});

test('reads within the caller’s tenant, once, and refuses with USER_NOT_FOUND when there is no such user', async () => {
  const asked: string[] = [];
  const result = await lookUp('nobody', async (tenantId, userId) => {
    asked.push(`${tenantId}/${userId}`);
    return null;
  });
  expect(result).toMatchObject({ kind: 'refused', error: { code: 'RESOURCE_NOT_FOUND', native_code: 'USER_NOT_FOUND' } });
  expect(asked).toEqual(['t/nobody']);
});

test('a database that cannot be reached is DATABASE_ERROR, to be tried again', async () => {
  const result = await lookUp('u1', () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })));
  expect(result).toMatchObject({ kind: 'failed', failure: 'network', error: { code: 'NETWORK_ERROR', native_code: 'DATABASE_ERROR' } });
});
