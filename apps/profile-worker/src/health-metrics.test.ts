import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { type ActivityLevel, type BmiCategory, type Body, computeHealthMetrics, roundHalfAwayFromZero } from './health-metrics.js';

type Gender = Body['gender'];
type Example = [
  body: [height: number, weight: number, age: number, gender: Gender, activity: ActivityLevel],
  bmi: number,
  who: BmiCategory,
  cn: BmiCategory,
  energy: [bmr: number, tdee: number, lose: number, gain: number],
  range: [number, number],
  composition: [fat: number | null, muscle: number | null],
];

const workedExamples: Example[] = [
  [[175, 70, 30, 'male', 'moderate'], 22.86, 'normal', 'normal', [1648.75, 2555.56, 2055.56, 3055.56], [56.7, 76.3], [18.13, 31.09]],
  [[162, 55, 25, 'female', 'sedentary'], 20.96, 'normal', 'normal', [1276.5, 1531.8, 1200, 2031.8], [48.6, 65.3], [25.5, 20.31]],
  [[180, 80, 45, 'male', 'light'], 24.69, 'normal', 'overweight', [1705, 2344.38, 1844.38, 2844.38], [59.9, 80.7], [23.78, 32.45]],
  [[170, 65, 35, 'female', 'active'], 22.49, 'normal', 'normal', [1376.5, 2374.46, 1874.46, 2874.46], [53.5, 72], [29.64, 22.39]],
  [[183, 95, 28, 'male', 'very_active'], 28.37, 'overweight', 'obese', [1958.75, 3721.63, 3221.63, 4221.63], [62, 83.4], [24.28, 38.01]],
  [[158, 48, 22, 'female', 'light'], 19.23, 'normal', 'normal', [1196.5, 1645.19, 1200, 2145.19], [46.2, 62.2], [22.73, 18.58]],
  [[165, 45, 19, 'female', 'sedentary'], 16.53, 'underweight', 'underweight', [1225.25, 1470.3, 1200, 1970.3], [50.4, 67.8], [18.8, 18.69]],
  [[170, 72.25, 50, 'male', 'sedentary'], 25, 'overweight', 'overweight', [1540, 1848, 1500, 2348], [53.5, 72], [25.3, 29.29]],
  [[160, 47.36, 40, 'female', 'light'], 18.5, 'normal', 'normal', [1112.6, 1529.83, 1200, 2029.83], [47.4, 63.7], [26, 16.82]],
  [[175, 91.875, 60, 'male', 'light'], 30, 'obese', 'obese', [1717.5, 2361.56, 1861.56, 2861.56], [56.7, 76.3], [33.6, null]],
  [[150, 120, 70, 'female', 'sedentary'], 53.33, 'obese', 'obese', [1626.5, 1951.8, 1451.8, 2451.8], [41.6, 56], [null, null]],
  [[140, 35, 10, 'male', 'active'], 17.86, 'underweight', 'underweight', [1180, 2035.5, 1535.5, 2535.5], [36.3, 48.8], [17.76, null]],
];

// Gains and ranges of these rows follow from the formulas; the other columns are the published ones.
const extremes: Example[] = [
  [[100, 30, 1, 'female', 'sedentary'], 30, 'obese', 'obese', [759, 910.8, 910.8, 1410.8], [18.5, 24.9], [null, null]],
  [[250, 300, 120, 'male', 'very_active'], 48, 'obese', 'obese', [3967.5, 7538.25, 7038.25, 8038.25], [115.6, 155.6], [69, null]],
  [[100, 30, 120, 'female', 'sedentary'], 30, 'obese', 'obese', [164, 196.8, 196.8, 696.8], [18.5, 24.9], [58.2, null]],
  [[100, 300, 120, 'female', 'very_active'], 300, 'obese', 'obese', [2864, 5441.6, 4941.6, 5941.6], [18.5, 24.9], [null, null]],
  [[168, 68.5, 33, 'male', 'moderate'], 24.27, 'normal', 'overweight', [1575, 2441.25, 1941.25, 2941.25], [52.2, 70.3], [20.51, 29.88]],
  [[250, 30, 1, 'male', 'light'], 4.8, 'underweight', 'underweight', [1862.5, 2560.94, 2060.94, 3060.94], [115.6, 155.6], [null, null]],
];

const adult: Body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const levels: ActivityLevel[] = ['sedentary', 'light', 'moderate', 'active', 'very_active'];

describe.each([...workedExamples, ...extremes])('%j', (...example) => {
  const [body, bmi, who, cn, [bmr, tdee, lose, gain], range, [fat, muscle]] = example;
  const [height_cm, weight_kg, age, gender, activity_level] = body;
  const input = { height_cm, weight_kg, age, gender, activity_level };

  test('gives the published figures', () => {
    expect(computeHealthMetrics(input, 'who').metrics).toEqual({
      bmi,
      bmi_category: who,
      bmr,
      tdee,
      ideal_weight_range: range,
      body_fat_estimate: fat,
      muscle_mass_estimate: muscle,
      calorie_goal: { maintain: tdee, lose_weight: lose, gain_weight: gain },
    });
  });

  test('differs under the Chinese standard in category and ideal range alone', () => {
    const whoMetrics = computeHealthMetrics(input, 'who').metrics;
    const high = roundHalfAwayFromZero((23.9 * height_cm * height_cm) / 10_000, 1);
    const expected = { ...whoMetrics, bmi_category: cn, ideal_weight_range: [range[0], high] };
    expect(computeHealthMetrics(input, 'cn').metrics).toEqual(expected);
  });
});

test.each([
  [110, 36.3, 'who', 'obese'],
  [160, 64, 'who', 'overweight'],
  [160, 63.9, 'who', 'normal'],
  [160, 76.8, 'who', 'obese'],
  [160, 76.7, 'who', 'overweight'],
  [220, 121, 'who', 'overweight'],
  [220, 145.2, 'who', 'obese'],
  [160, 47.36, 'who', 'normal'],
  [160, 47.35, 'who', 'underweight'],
  [172, 73.96, 'who', 'overweight'],
  [178, 79.21, 'who', 'overweight'],
  [167.5, 67.335, 'cn', 'overweight'],
  [200, 112, 'cn', 'obese'],
  [200, 111.9, 'cn', 'overweight'],
] as const)('%d cm and %d kg lie on the right side of the %s cut-off: %s', (...example) => {
  const [height_cm, weight_kg, standard, category] = example;
  expect(computeHealthMetrics({ ...adult, height_cm, weight_kg }, standard).metrics.bmi_category).toBe(category);
});

test('shows the BMI rounded but classifies it unrounded', () => {
  const { bmi, bmi_category } = computeHealthMetrics({ ...adult, height_cm: 170, weight_kg: 72.249 }, 'who').metrics;
  expect({ bmi, bmi_category }).toEqual({ bmi: 25, bmi_category: 'normal' });
});

test.each([
  [1.005, 2, 1.01],
  [2.675, 2, 2.68],
  [0.615, 2, 0.62],
  [0.285, 2, 0.29],
  [10.075, 2, 10.08],
  [1.045, 2, 1.05],
  [0.1 + 0.2 + 0.005, 2, 0.31],
  [1.00499999, 2, 1],
  [1.25, 1, 1.3],
  [2344.375, 2, 2344.38],
  [-1.005, 2, -1.01],
  [-0.001, 2, 0],
  [0, 2, 0],
])('rounds %d to %d decimals, half away from zero', (value, decimals, expected) => {
  expect(roundHalfAwayFromZero(value, decimals)).toBe(expected);
});

describe('caveats', () => {
  const caveatsOf = (change: Partial<Body>) => computeHealthMetrics({ ...adult, ...change }, 'who').caveats.join('\n');

  test('an ordinary adult has none', () => {
    expect(caveatsOf({})).toBe('');
  });

  test.each<[string, Partial<Body>, RegExp[]]>([
    ['a minor', { age: 17 }, [/under 18, growth charts/, /bmr and tdee are extrapolated/, /muscle_mass_estimate is null.*adults/]],
    ['a child under 7', { age: 6 }, [/body_fat_estimate is null.*ages 7 and over/]],
    ['an age past the energy sample', { age: 79 }, [/bmr and tdee are extrapolated.*19 to 78/]],
    ['an age past the fat sample', { age: 84 }, [/body_fat_estimate is extrapolated.*7 to 83/]],
    ['a BMI past the fat sample', { weight_kg: 126 }, [/body_fat_estimate is extrapolated.*13\.9 to 40\.9/]],
    ['implausible fat', { weight_kg: 220 }, [/body_fat_estimate is null.*outside 3 to 70 %/]],
    ['a BMI of 30', { weight_kg: 91.875 }, [/muscle_mass_estimate is null.*BMI under 30/]],
    [
      'a body that no legal input describes',
      { gender: 'female', age: 120, height_cm: 60, weight_kg: 10 },
      [/muscle_mass_estimate is null.*no plausible value/],
    ],
    ['a cut below the floor', { age: 50, activity_level: 'sedentary' }, [/lose_weight is held at the floor of 1500/]],
    [
      'a need below the floor',
      { gender: 'female', height_cm: 150, weight_kg: 30, activity_level: 'sedentary' },
      [/lose_weight equals maintain.*1200/],
    ],
  ])('%s is told', (_name, change, patterns) => {
    for (const pattern of patterns) expect(caveatsOf(change)).toMatch(pattern);
  });

  test('no caveat where a limit is met exactly', () => {
    expect(caveatsOf({ age: 78 })).toBe('');
    expect(caveatsOf({ age: 19 })).toBe('');
    expect(caveatsOf({ age: 18 })).not.toMatch(/null|under 18/);
  });
});

describe('over the whole legal domain', () => {
  const facts = {
    age: fc.integer({ min: 1, max: 120 }),
    gender: fc.constantFrom<Gender>('male', 'female'),
    activity_level: fc.constantFrom(...levels),
  };
  const corner = (min: number, max: number) => fc.oneof(fc.double({ min, max, noNaN: true }), fc.constantFrom(min, max));
  const anyBody = fc.record({ ...facts, height_cm: corner(100, 250), weight_kg: corner(30, 300) });
  const standard = fc.constantFrom('who' as const, 'cn' as const);
  const often = { numRuns: 2_000 };

  test('figures are finite and positive, ranges ascend and goals are in order', () => {
    fc.assert(
      fc.property(anyBody, standard, (body, kind) => {
        const { metrics } = computeHealthMetrics(body, kind);
        const { calorie_goal: goal, ideal_weight_range: range } = metrics;
        const estimates = [metrics.body_fat_estimate, metrics.muscle_mass_estimate].filter((value) => value !== null);
        for (const value of [metrics.bmi, metrics.bmr, metrics.tdee, ...range, ...Object.values(goal), ...estimates]) {
          expect(Number.isFinite(value) && value > 0).toBe(true);
        }
        expect(range).toHaveLength(2);
        expect(range[0]).toBeLessThan(range[1]);
        expect(goal.maintain).toBe(metrics.tdee);
        expect(goal.lose_weight).toBeLessThanOrEqual(goal.maintain);
        expect(goal.maintain).toBeLessThan(goal.gain_weight);
        if (metrics.muscle_mass_estimate !== null) expect(metrics.muscle_mass_estimate).toBeLessThanOrEqual(body.weight_kg + 0.005);
        if (metrics.body_fat_estimate !== null) expect(metrics.body_fat_estimate >= 3 && metrics.body_fat_estimate <= 70).toBe(true);
      }),
      often,
    );
  });

  test('the daily need strictly grows with activity', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const needs = levels.map((activity_level) => computeHealthMetrics({ ...body, activity_level }, 'who').metrics.tdee);
        for (const [index, need] of needs.slice(1).entries()) expect(need).toBeGreaterThan(needs[index] ?? Infinity);
      }),
      often,
    );
  });

  test('null estimates and a bounded goal never come without a caveat', () => {
    fc.assert(
      fc.property(anyBody, standard, (body, kind) => {
        const { metrics, caveats } = computeHealthMetrics(body, kind);
        const told = (start: string) => caveats.some((caveat) => caveat.startsWith(start));
        expect(told('body_fat_estimate is null')).toBe(metrics.body_fat_estimate === null);
        expect(told('muscle_mass_estimate is null')).toBe(metrics.muscle_mass_estimate === null);
        const { maintain, lose_weight } = metrics.calorie_goal;
        if (maintain - lose_weight < 499.98) expect(told('lose_weight')).toBe(true);
      }),
      often,
    );
  });
});
