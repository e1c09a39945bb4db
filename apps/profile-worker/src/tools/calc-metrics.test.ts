import { expect, test } from '@jest/globals';
import { runTool } from '#lib/handlers';
import { handleCalcMetrics } from './calc-metrics.js';

const caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' } as const;
const unused = () => Promise.reject(new Error('no database is needed'));
const services = { profiles: { find: unused, put: unused } };

function compute(input: unknown, bmiStandard: 'who' | 'cn' = 'who') {
  return runTool(
    handleCalcMetrics,
    { ...services, bmiStandard },
    { jobId: 'j', number: 1, input, caller, sessionId: null, stop: new AbortController().signal, onProgress: () => undefined },
  );
}

test('the first worked example, with the standard named and no store touched', async () => {
  expect(await compute({ height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' })).toMatchObject({
    kind: 'done',
    message: 'BMI category by the WHO cut-offs.',
    data: { bmi: 22.86, bmi_category: 'normal', bmr: 1648.75, tdee: 2555.56, body_fat_estimate: 18.13, muscle_mass_estimate: 31.09 },
  });
});

test('the Chinese cut-offs when they are configured', async () => {
  const body = { height_cm: 180, weight_kg: 80, age: 45, gender: 'male', activity_level: 'light' };
  expect(await compute(body, 'cn')).toMatchObject({ data: { bmi_category: 'overweight' }, message: expect.stringContaining('Chinese') });
  expect(await compute(body)).toMatchObject({ data: { bmi_category: 'normal' } });
});

test('a child is answered, with a caveat and without what the equations cannot say', async () => {
  const result = await compute({ height_cm: 140, weight_kg: 35, age: 10, gender: 'male', activity_level: 'active' });
  expect(result).toMatchObject({ kind: 'done', data: { muscle_mass_estimate: null, body_fat_estimate: 17.76 } });
  expect(result.kind === 'done' && result.warnings.length).toBeGreaterThan(0);
});
