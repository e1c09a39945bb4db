import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { jobListShape, nativeShape, startSystem, startTimeoutMs, type HttpCaller, type Reply, type System } from '#lib/testing';
import { activityLevels } from '../activity-levels.js';
import { extremes, workedExamples } from '../metrics-examples.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

jest.setTimeout(startTimeoutMs);

const route = '/aurawell/calc_metrics';
const good = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

describe('CalcMetrics', () => {
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    system = await startSystem({ inProcess });
    user = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  const computed = async (input: object): Promise<unknown> => {
    const reply = await user.post(route, input);
    expect(reply).toMatchObject({ status: 200, body: { status: 'success', error_code: null } });
    return reply.as(nativeShape).data;
  };
  /** A change of good parameters that must be refused, naming the parameter. */
  const refused = async (change: Readonly<Record<string, unknown>>): Promise<Reply> => {
    const [name = ''] = Object.keys(change);
    const reply = await user.request(route, {
      method: 'POST',
      raw: JSON.stringify({ ...good, ...change }),
      headers: { 'content-type': 'application/json' },
    });
    expect({ change, status: reply.status, body: reply.body }).toMatchObject({
      change,
      status: 400,
      body: { status: 'error', error_code: 'INVALID_INPUT', data: null, message: expect.stringContaining(name) },
    });
    return reply;
  };

  verifies(
    ['AW-02', 'AW-22', 'AW-23', 'AW-24', 'AW-25', 'AW-26', 'AW-27', 'AW-28', 'AW-29'],
    'computes the worked examples to the digit',
    async () => {
      for (const { input, output } of workedExamples) expect({ input, output: await computed(input) }).toEqual({ input, output });
    },
  );

  verifies(
    ['AW-27', 'AW-28', 'AW-29'],
    'succeeds at the corners of the legal domain, with null where an equation does not hold',
    async () => {
      for (const { input, output, loseWeight } of extremes) {
        const data = await computed(input);
        expect({ input, data }).toMatchObject({
          input,
          data: { ...output, calorie_goal: { maintain: output.tdee, lose_weight: loseWeight } },
        });
        expect(JSON.stringify(data)).not.toMatch(/-\d|NaN|Infinity/);
      }
    },
  );

  verifies(['AW-23'], 'is exact where floating point slips at a cut-off', async () => {
    const categories = [
      [160, 64, 'overweight'],
      [160, 76.8, 'obese'],
      [110, 36.3, 'obese'],
      [220, 121, 'overweight'],
      [220, 145.2, 'obese'],
      [160, 47.36, 'normal'],
    ] as const;
    for (const [height_cm, weight_kg, bmi_category] of categories)
      expect({ height_cm, weight_kg, data: await computed({ ...good, height_cm, weight_kg }) }).toMatchObject({ data: { bmi_category } });
  });

  verifies(['AW-17', 'AW-18', 'AW-19'], 'takes both ends of every range', async () => {
    for (const change of [
      { height_cm: 100 },
      { height_cm: 250 },
      { weight_kg: 30 },
      { weight_kg: 300 },
      { age: 1 },
      { age: 120 },
      { age: 30.0 },
    ])
      await computed({ ...good, ...change });
  });

  verifies(['AW-17', 'AW-18', 'AW-19', 'AW-20', 'AW-21', 'AW-30'], 'refuses everything outside, naming the parameter', async () => {
    const wrong: Readonly<Record<string, readonly unknown[]>> = {
      height_cm: [99.99, 99.9, 250.01, 250.1, '170', null, undefined, true, [170], { cm: 170 }, 1e308],
      weight_kg: [29.99, 29.9, 300.01, 300.1, '70', null, undefined, -70],
      age: [0, 121, 30.5, '30', true, null, undefined, -1, 2 ** 53],
      gender: ['other', 'Male', 'M', '', null, undefined, 1],
      activity_level: ['lightly_active', 'high', 'Moderate', '', null, undefined],
    };
    for (const [name, values] of Object.entries(wrong)) for (const value of values) await refused({ [name]: value });
    expect((await user.get('/jobs?state=failed')).as(jobListShape).jobs).toEqual([]);
  });

  test('refuses numbers that JSON can write and nobody can mean', async () => {
    for (const number of ['1e400', '-1e400', 'NaN', 'Infinity', '0x10', '٣٠']) {
      const reply = await user.request(route, {
        method: 'POST',
        raw: `{"height_cm":${number},"weight_kg":70,"age":30,"gender":"male","activity_level":"moderate"}`,
        headers: { 'content-type': 'application/json' },
      });
      expect({ number, status: reply.status, code: reply.body }).toMatchObject({ number, status: 400, code: expect.objectContaining({}) });
    }
    await refused({ age: -0 });
  });

  verifies(['AW-20'], 'names both accepted words for a profile whose gender is other', async () => {
    const { message } = (await refused({ gender: 'other' })).as(nativeShape);
    expect(message).toContain('male');
    expect(message).toContain('female');
  });

  verifies(['AW-21', 'AW-25'], 'gives more energy to each more active level', async () => {
    const tdee: number[] = [];
    for (const activity_level of activityLevels) {
      const data = await computed({ ...good, activity_level });
      tdee.push(Number(typeof data === 'object' && data !== null && 'tdee' in data ? data.tdee : NaN));
    }
    expect(tdee).toEqual(tdee.toSorted((a, b) => a - b));
    expect(new Set(tdee).size).toBe(5);
  });

  test('says by which cut-offs it judged, and warns where the equations were not made for the body', async () => {
    expect((await user.post(route, good)).as(nativeShape).message).toContain('WHO');
    const child = (await user.post(route, { ...good, height_cm: 140, weight_kg: 35, age: 10 })).as(nativeShape);
    expect(child.message.length).toBeGreaterThan((await user.post(route, good)).as(nativeShape).message.length);
  });

  test('answers several faults at once', async () => {
    const { message } = (await refused({ height_cm: 1, age: 0, gender: 'x' })).as(nativeShape);
    for (const name of ['height_cm', 'age', 'gender']) expect(message).toContain(`'${name}'`);
  });

  verifies(['AW-23'], 'judges by the Chinese cut-offs where it is told to', async () => {
    await system.worker.stop();
    await system.worker.start({ BMI_STANDARD: 'cn' });
    for (const { input, output, chinese } of workedExamples) {
      const reply = await user.post(route, input, { 'cache-control': 'no-cache' });
      expect({ input, body: reply.body }).toMatchObject({ input, body: { data: { bmi: output.bmi, bmi_category: chinese } } });
    }
    // The gateway gives an answer of before for a second more.
    expect((await user.post(route, good, { 'cache-control': 'no-cache' })).as(nativeShape).message).toContain('WS/T 428');
  });
});
