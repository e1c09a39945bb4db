// Every figure against arithmetic on integers, where nothing is ever rounded before the end.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { type ActivityLevel, type BmiCategory, type Body, computeHealthMetrics, roundHalfAwayFromZero } from './health-metrics.js';

const levels: ActivityLevel[] = ['sedentary', 'light', 'moderate', 'active', 'very_active'];
const adult: Body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

// h in mm, w in g: every figure is a fraction of integers.
const exactBody = fc.record({
  h: fc.integer({ min: 1000, max: 2500 }),
  w: fc.oneof(
    fc.integer({ min: 300, max: 3000 }).map((tenths) => tenths * 100),
    fc.integer({ min: 30_000, max: 300_000 }),
  ),
  age: fc.integer({ min: 1, max: 120 }),
  male: fc.boolean(),
  level: fc.constantFrom(...levels),
});
const factors = { sedentary: 1200n, light: 1375n, moderate: 1550n, active: 1725n, very_active: 1900n };

function exact({ h, w, age, male, level }: { h: number; w: number; age: number; male: boolean; level: ActivityLevel }) {
  const [H, W, A, s] = [BigInt(h), BigInt(w), BigInt(age), male ? 1n : 0n];
  const HH = H * H;
  const above = (cut: bigint) => W * 10_000n >= cut * HH; // cut in tenths: 1000·w/h² >= cut/10
  const bmrThousandths = 10n * W + 625n * H + 1000n * ((male ? 5n : -161n) - 5n * A);
  const need = bmrThousandths * factors[level];
  const floor = male ? 1_500_000_000n : 1_200_000_000n;
  const fat = A >= 16n ? 120_000n * W + HH * (23n * A - 1080n * s - 540n) : 151_000n * W + HH * (140n - 70n * A - 360n * s);
  const muscle = 244n * W + 7800n * H + 1000n * (6600n * s - 98n * A - 3300n);
  const fatKnown = A >= 7n && fat >= 300n * HH && fat <= 7000n * HH;
  const muscleKnown = A >= 18n && !above(300n) && muscle > 0n && muscle < W * 1000n;
  const category = (overweight: bigint, obese: bigint): BmiCategory =>
    !above(185n) ? 'underweight' : !above(overweight) ? 'normal' : !above(obese) ? 'overweight' : 'obese';
  return {
    categories: { who: category(250n, 300n), cn: category(240n, 280n) },
    ranges: {
      who: [ratio(185n * HH, 10_000_000n, 1), ratio(249n * HH, 10_000_000n, 1)],
      cn: [ratio(185n * HH, 10_000_000n, 1), ratio(239n * HH, 10_000_000n, 1)],
    },
    bmi: ratio(1000n * W, HH, 2),
    bmr: ratio(bmrThousandths, 1000n, 2),
    tdee: ratio(need, 1_000_000n, 2),
    lose: ratio(least(need, most(need - 500_000_000n, floor)), 1_000_000n, 2),
    gain: ratio(need + 500_000_000n, 1_000_000n, 2),
    fat: fatKnown ? ratio(fat, 100n * HH, 2) : null,
    muscle: muscleKnown ? ratio(muscle, 1_000_000n, 2) : null,
  };
}

test.each(['who', 'cn'] as const)('every figure agrees to the last digit (%s)', (kind) => {
  fc.assert(
    fc.property(exactBody, (point) => {
      const expected = exact(point);
      const body: Body = {
        height_cm: point.h / 10,
        weight_kg: point.w / 1000,
        age: point.age,
        gender: point.male ? 'male' : 'female',
        activity_level: point.level,
      };
      expect(computeHealthMetrics(body, kind).metrics).toEqual({
        bmi: expected.bmi,
        bmi_category: expected.categories[kind],
        bmr: expected.bmr,
        tdee: expected.tdee,
        ideal_weight_range: expected.ranges[kind],
        body_fat_estimate: expected.fat,
        muscle_mass_estimate: expected.muscle,
        calorie_goal: { maintain: expected.tdee, lose_weight: expected.lose, gain_weight: expected.gain },
      });
    }),
    { numRuns: 5_000 },
  );
});

test('every weight within 0.1 kg of a cut-off has its exact category, at every height of the 0.1 cm grid', () => {
  const wrong: string[] = [];
  for (let h = 1000; h <= 2500; h++) {
    for (const cut of [18.5, 24, 25, 28, 30]) {
      const near = Math.round((cut * h * h) / 100_000) * 100;
      for (let w = near - 100; w <= near + 100; w += 100) {
        if (w < 30_000 || w > 300_000) continue;
        const { categories } = exact({ h, w, age: 30, male: true, level: 'light' });
        for (const kind of ['who', 'cn'] as const) {
          const { metrics } = computeHealthMetrics({ ...adult, height_cm: h / 10, weight_kg: w / 1000 }, kind);
          if (metrics.bmi_category !== categories[kind]) wrong.push(`${h / 10} cm ${w / 1000} kg ${kind}`);
        }
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('rounding agrees with the decimal text of any number of up to six decimals', () => {
  fc.assert(
    fc.property(fc.integer({ min: -9_000_000_000, max: 9_000_000_000 }), fc.constantFrom(1, 2), (millionths, decimals) => {
      const expected = ratio(BigInt(millionths), 1_000_000n, decimals);
      expect(roundHalfAwayFromZero(millionths / 1_000_000, decimals)).toBe(expected);
    }),
    { numRuns: 5_000 },
  );
});

/** `numerator / denominator`, half away from zero, as the double nearest to the decimal. */
function ratio(numerator: bigint, denominator: bigint, decimals: number): number {
  const sign = numerator < 0n ? -1n : 1n;
  const doubled = 2n * sign * numerator * 10n ** BigInt(decimals);
  return Number(`${sign * ((doubled + denominator) / (2n * denominator))}e-${decimals}`);
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const most = (a: bigint, b: bigint) => (a > b ? a : b);
