import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';
import { activityLevels } from './activity-level.js';

/** UserProfileLookup of the AuraWell contracts v2.0 (AW-04…16). */
export const userProfileLookup = defineTool({
  name: 'user_profile_lookup',
  aliases: ['UserProfileLookup'],
  version: '2.0.0',
  changelog: { '2.0.0': 'The AuraWell contract v2.0.' },
  title: 'User profile',
  description:
    "Read one user's health profile: age, gender, height, weight, activity level, goals, conditions and diet. A user reads their own; others need the scope profile:read:any.",
  zh: {
    title: '用户档案',
    description:
      '读取一个用户的健康档案：年龄、性别、身高、体重、活动水平、目标、病症和饮食。用户可读自己的；读他人的需要 scope profile:read:any。',
  },
  domain: 'profile',
  source: 'aurawell',
  effect: 'read',
  input: z.strictObject({
    user_id: z.string().min(1).max(128).describe('Unique id of the user, 1–128 characters.'),
  }),
  output: z.strictObject({
    user_id: z.string(),
    age: sensitive(z.int()).describe('Years.'),
    gender: sensitive(z.enum(['male', 'female', 'other'])),
    height_cm: sensitive(z.number()),
    weight_kg: sensitive(z.number()),
    activity_level: sensitive(z.enum(activityLevels)),
    health_goals: sensitive(z.array(z.string())).describe('Such as weight_loss, muscle_gain, general_fitness.'),
    medical_conditions: sensitive(z.array(z.string())).describe('Such as diabetes, hypertension.'),
    dietary_restrictions: sensitive(z.array(z.string())).describe('Such as vegetarian, gluten_free.'),
    last_updated: z.iso.datetime().describe('When the profile last changed, UTC.'),
  }),
  subject: { param: 'user_id', anyScope: 'profile:read:any' },
  errors: { USER_NOT_FOUND: 'RESOURCE_NOT_FOUND' },
  nativeCodes: { INVALID_PARAMS: 'INVALID_INPUT', PERMISSION_DENIED: 'PERMISSION_DENIED' },
  failures: {
    network: 'DATABASE_ERROR',
    timeout: 'DATABASE_ERROR',
    'rate-limit': 'DATABASE_ERROR',
    service: 'DATABASE_ERROR',
    internal: 'DATABASE_ERROR',
  },
  timeoutMs: 5_000,
  retry: { network: { times: 3, baseMs: 200 }, timeout: { times: 1, baseMs: 200 } },
  estimatedTokens: { input: 20, output: { min: 80, typical: 140, max: 400 } },
  examples: [
    {
      input: { user_id: 'user_001' },
      output: {
        user_id: 'user_001',
        age: 30,
        gender: 'male',
        height_cm: 175,
        weight_kg: 70,
        activity_level: 'moderate',
        health_goals: ['weight_loss', 'general_fitness'],
        medical_conditions: ['hypertension'],
        dietary_restrictions: ['vegetarian'],
        last_updated: '2026-11-01T08:00:00.000Z',
      },
    },
  ],
});
