import { testErrors, testParameters } from '../../test-parameters.js';
import { calcMetrics } from './calc-metrics.js';
import { importProfiles } from './import-profiles.js';
import { userProfileLookup } from './user-profile-lookup.js';

const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const genderHint =
  'must be one of [male, female]: the equations are sex-specific; for a profile with gender other, ask which to use or show both';
const levels = 'must be one of [sedentary, light, moderate, active, very_active]';

testParameters(calcMetrics, {
  good: body,
  fields: {
    height_cm: {
      required: true,
      takes: [100, 100.01, 175.5, 250],
      refuses: [
        [99.99, 'must be at least 100'],
        [250.01, 'must be at most 250'],
        [-175, 'must be at least 100'],
        ['175', 'must be number, not string'],
        [[175], 'must be number, not array'],
        [null, 'must be number, not null'],
        [true, 'must be number, not boolean'],
      ],
      query: [
        ['175', 175],
        ['1.755e2', 175.5],
      ],
    },
    weight_kg: {
      required: true,
      takes: [30, 70.25, 300],
      refuses: [
        [29.99, 'must be at least 30'],
        [300.01, 'must be at most 300'],
        ['seventy', 'must be number, not string'],
      ],
      query: [['70.5', 70.5]],
    },
    age: {
      required: true,
      takes: [1, 120],
      refuses: [
        [0, 'must be at least 1'],
        [121, 'must be at most 120'],
        [30.5, 'must be integer, not number'],
        ['30', 'must be integer, not string'],
      ],
      query: [['30', 30]],
    },
    gender: {
      required: true,
      takes: ['male', 'female'],
      refuses: [
        ['other', genderHint],
        ['Male', genderHint],
        ['', genderHint],
        [1, genderHint],
      ],
      query: [['female', 'female']],
    },
    activity_level: {
      required: true,
      takes: ['sedentary', 'light', 'moderate', 'active', 'very_active'],
      refuses: [
        ['high', levels],
        ['Sedentary', levels],
        ['very active', levels],
        [2, levels],
      ],
    },
  },
});

testErrors(calcMetrics, {
  refusals: { INVALID_PARAMS: 'INVALID_INPUT', PERMISSION_DENIED: undefined, RATE_LIMITED: undefined },
  failures: {
    network: 'CALCULATION_ERROR',
    timeout: 'CALCULATION_ERROR',
    'rate-limit': 'CALCULATION_ERROR',
    service: 'CALCULATION_ERROR',
    internal: 'CALCULATION_ERROR',
  },
});

testParameters(userProfileLookup, {
  good: { user_id: 'user_001' },
  fields: {
    user_id: {
      required: true,
      takes: ['u', 'x'.repeat(128), '用户', ' ', "'; DROP TABLE users; --"],
      refuses: [
        ['', 'must have at least 1 character'],
        ['x'.repeat(129), 'must have at most 128 characters'],
        [1, 'must be string, not number'],
        [['user_001'], 'must be string, not array'],
      ],
      query: [['007', '007']],
    },
  },
});

testErrors(userProfileLookup, {
  refusals: { INVALID_PARAMS: 'INVALID_INPUT', PERMISSION_DENIED: 'PERMISSION_DENIED', QUOTA_EXCEEDED: undefined },
  failures: {
    network: 'DATABASE_ERROR',
    timeout: 'DATABASE_ERROR',
    'rate-limit': 'DATABASE_ERROR',
    service: 'DATABASE_ERROR',
    internal: 'DATABASE_ERROR',
  },
});

const row = { ...body, user_id: 'u', health_goals: [], medical_conditions: [], dietary_restrictions: [] };

testParameters(importProfiles, {
  good: { profiles: [row] },
  fields: {
    profiles: {
      required: true,
      takes: [
        [{ ...row, gender: 'other', health_goals: ['健康'], last_updated: '2026-11-21T09:30:00+08:00' }],
        Array.from({ length: 1_000 }, () => row),
      ],
      refuses: [
        [[], 'must have at least 1 item'],
        [Array.from({ length: 1_001 }, () => row), 'must have at most 1000 items'],
        [[{ ...row, age: 0 }], 'must be at least 1'],
        [[{ ...row, last_updated: '2026-11-21' }], "Validation error: Parameter 'profiles.0.last_updated' is not valid (datetime)"],
        [[{ ...row, name: 'x' }], 'Unexpected parameter: profiles.0.name'],
      ],
    },
    dry_run: { byDefault: false, takes: [true, false], refuses: [['true', 'must be boolean, not string']] },
  },
});
