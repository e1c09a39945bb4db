import { z } from 'zod';
import { defineTool } from '../../define-tool.js';
import { sensitive } from '../../marks.js';
import { activityLevels } from './activity-level.js';

const kcal = z.number().describe('kcal a day.');

/** CalcMetrics of the AuraWell contracts v2.0 (AW-17…31). It only calculates and reads no data. */
export const calcMetrics = defineTool({
  name: 'calc_metrics',
  aliases: ['CalcMetrics'],
  version: '2.0.0',
  changelog: { '2.0.0': 'The AuraWell contract v2.0.' },
  title: 'Health metrics',
  description:
    'Compute BMI and its category, basal and total energy use, ideal weight range, body fat and muscle estimates, and daily calorie goals from body data. Equations are for adults; estimates outside their range are null.',
  zh: {
    title: '健康指标',
    description:
      '根据身体数据计算 BMI 及其分类、基础与总能量消耗、理想体重范围、体脂与肌肉估计值以及每日热量目标。公式适用于成人；超出适用范围的估计值为 null。',
  },
  domain: 'profile',
  source: 'aurawell',
  effect: 'read',
  input: z.strictObject({
    height_cm: sensitive(z.number().min(100).max(250)).describe('Height in centimetres, 100–250.'),
    weight_kg: sensitive(z.number().min(30).max(300)).describe('Weight in kilograms, 30–300.'),
    age: sensitive(z.int().min(1).max(120)).describe('Age in whole years, 1–120.'),
    gender: sensitive(
      z.enum(['male', 'female'], {
        error: (issue) =>
          issue.input === undefined
            ? undefined
            : "Parameter 'gender' must be one of [male, female]: the equations are sex-specific; for a profile with gender other, ask which to use or show both",
      }),
    ).describe('Which sex-specific equations to use.'),
    activity_level: sensitive(z.enum(activityLevels)).describe('Usual activity, from sedentary to very_active.'),
  }),
  output: z.strictObject({
    bmi: sensitive(z.number()).describe('kg/m².'),
    bmi_category: sensitive(z.enum(['underweight', 'normal', 'overweight', 'obese'])),
    bmr: sensitive(kcal),
    tdee: sensitive(kcal),
    ideal_weight_range: sensitive(z.array(z.number()).length(2)).describe('Low and high, kg.'),
    body_fat_estimate: sensitive(z.number().nullable()).describe('Percent; null where the equation does not hold.'),
    muscle_mass_estimate: sensitive(z.number().nullable()).describe('kg; null where the equation does not hold.'),
    calorie_goal: sensitive(z.strictObject({ maintain: kcal, lose_weight: kcal, gain_weight: kcal })),
  }),
  errors: {},
  nativeCodes: { INVALID_PARAMS: 'INVALID_INPUT' },
  failures: {
    network: 'CALCULATION_ERROR',
    timeout: 'CALCULATION_ERROR',
    'rate-limit': 'CALCULATION_ERROR',
    service: 'CALCULATION_ERROR',
    internal: 'CALCULATION_ERROR',
  },
  timeoutMs: 2_000,
  retry: { timeout: { times: 1, baseMs: 200 } },
  cache: { ttlSeconds: 600 },
  estimatedTokens: { input: 50, output: { min: 90, typical: 110, max: 130 } },
  examples: [
    {
      input: { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' },
      output: {
        bmi: 22.86,
        bmi_category: 'normal',
        bmr: 1648.75,
        tdee: 2555.56,
        ideal_weight_range: [56.7, 76.3],
        body_fat_estimate: 18.13,
        muscle_mass_estimate: 31.09,
        calorie_goal: { maintain: 2555.56, lose_weight: 2055.56, gain_weight: 3055.56 },
      },
    },
  ],
});
