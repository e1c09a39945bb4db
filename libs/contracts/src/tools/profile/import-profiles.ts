import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { userIdSchema } from '../../identity.js';
import { sensitive } from '../../marks.js';
import { activityLevels } from './activity-level.js';

const count = z.int().min(0);
const labels = sensitive(z.array(z.string().min(1)).max(100));

/** A profile as it is imported: the fields of the answer of `user_profile_lookup`, within the bounds of AW-10. */
const importedProfile = z.strictObject({
  user_id: userIdSchema.describe('Unique id of the user, 1–128 characters.'),
  age: sensitive(z.int().min(1).max(120)).describe('Age in whole years, 1–120.'),
  gender: sensitive(z.enum(['male', 'female', 'other'])),
  height_cm: sensitive(z.number().min(100).max(250)).describe('Height in centimetres, 100–250.'),
  weight_kg: sensitive(z.number().min(30).max(300)).describe('Weight in kilograms, 30–300.'),
  activity_level: sensitive(z.enum(activityLevels)),
  health_goals: labels.describe('Such as weight_loss, muscle_gain, general_fitness.'),
  medical_conditions: labels.describe('Such as diabetes, hypertension.'),
  dietary_restrictions: labels.describe('Such as vegetarian, gluten_free.'),
  last_updated: z.iso.datetime({ offset: true }).optional().describe('ISO 8601 with an offset. Default: the time of the import.'),
});

/** The rows of `npx invoq import profiles`, sent in the call. */
export const importProfiles = defineTool({
  name: 'import_profiles',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Import profiles',
  description:
    'Add or change health profiles of users of your tenant, all rows of the call or none. A known user is updated, an equal row is left alone; safe to run again.',
  zh: {
    title: '导入用户档案',
    description:
      '新增或更新本租户用户的健康档案；一次调用中的行要么全部写入，要么都不写。已有用户会被更新，相同的行保持不动；可放心重复执行。',
  },
  domain: 'profile',
  effect: 'write',
  scopes: ['tenant:admin'],
  input: z.strictObject({
    profiles: z.array(importedProfile).min(1).max(1_000).describe('1–1000 profiles, each of another user.'),
    dry_run: z.boolean().default(false).describe('Tells what would change, and changes nothing.'),
  }),
  output: z.object({
    added: count,
    changed: count,
    unchanged: count.describe('Equal to what was there.'),
  }),
  errors: { USER_REPEATED: 'INVALID_PARAMS', TIME_OUT_OF_RANGE: 'INVALID_PARAMS' },
  timeoutMs: 20_000,
  retry: { network: { times: 1, baseMs: 1_000 } },
  priority: 10,
  maxInputBytes: 4 * 1_024 * 1_024,
  estimatedTokens: { input: 2_000, output: { typical: 20, max: 40 } },
  examples: [
    {
      input: {
        profiles: [
          {
            user_id: 'user_001',
            age: 30,
            gender: 'male',
            height_cm: 175,
            weight_kg: 70,
            activity_level: 'moderate',
            health_goals: ['weight_loss'],
            medical_conditions: [],
            dietary_restrictions: ['vegetarian'],
            last_updated: '2026-11-01T08:00:00.000Z',
          },
        ],
      },
      output: { added: 1, changed: 0, unchanged: 0 },
    },
  ],
});
