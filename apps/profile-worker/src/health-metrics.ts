// BMI, energy needs and body composition by published equations. No I/O, no state.
// Each metric is computed in floating point and settled, that is freed of arithmetic noise. Categories, nulls and floors are decided on
// settled values; only returned values are rounded.

export interface Body {
  /** Standing height in cm, 100–250. */
  readonly height_cm: number;
  /** Body weight in kg, 30–300. */
  readonly weight_kg: number;
  /** Age in whole years, 1–120. */
  readonly age: number;
  /** Which of the sex-specific equations to use. */
  readonly gender: 'male' | 'female';
  readonly activity_level: ActivityLevel;
}

export type ActivityLevel = keyof typeof activityFactors;
export type BmiCategory = 'underweight' | 'normal' | 'overweight' | 'obese';
export type BmiStandard = keyof typeof bmiStandards;

export interface HealthMetrics {
  /** Body mass index (Quetelet), kg/m², 2 decimals. Requirement AW-22, formula F-01. */
  bmi: number;
  /** Class of the unrounded BMI under the standard in force. AW-23, F-02. */
  bmi_category: BmiCategory;
  /** Resting energy, kcal/day, 2 decimals. AW-24, F-03: Mifflin et al., Am J Clin Nutr 1990;51:241–7, sample ages 19–78. */
  bmr: number;
  /** Daily energy with activity, kcal/day, 2 decimals. AW-25, F-04. */
  tdee: number;
  /** Weight in kg, low then high, 1 decimal, of a normal BMI at this height. AW-26, F-05. */
  ideal_weight_range: [low: number, high: number];
  /**
   * Body fat in percent, 2 decimals; null under 7 years or outside 3–70 %. AW-27, F-06:
   * Deurenberg et al., Br J Nutr 1991;65:105–14, sample ages 7–83, BMI 13.9–40.9, SEE 4.1 % (from age 16) or 4.4 %.
   */
  body_fat_estimate: number | null;
  /**
   * Skeletal muscle in kg, 2 decimals; null under 18 years, from BMI 30, or where not between 0 and the weight. AW-28, F-07:
   * Lee et al., Am J Clin Nutr 2000;72:796–803, model 2 without its race term, SEE 2.8 kg.
   */
  muscle_mass_estimate: number | null;
  /**
   * kcal/day, 2 decimals: `maintain` is the TDEE, the others 500 above and below it. The cut stops at 1200 (female) or
   * 1500 (male), the lower ends of the prescriptions in the 2013 AHA/ACC/TOS guideline. AW-29, F-08.
   */
  calorie_goal: { maintain: number; lose_weight: number; gain_weight: number };
}

/** Factors of the resting energy (AW-25). */
const activityFactors = { sedentary: 1.2, light: 1.375, moderate: 1.55, active: 1.725, very_active: 1.9 } as const;

/**
 * Where each class begins, in kg/m², and the highest BMI of the ideal range. `who`: WHO adult classification;
 * `cn`: Chinese adult criteria, WS/T 428—2013.
 */
const bmiStandards = {
  who: { normal: 18.5, overweight: 25, obese: 30, idealHigh: 24.9 },
  cn: { normal: 18.5, overweight: 24, obese: 28, idealHigh: 23.9 },
} as const;

const calorieStep = 500;
const calorieFloor = { female: 1200, male: 1500 } as const;
const adultAge = 18;
const mifflinAges = { min: 19, max: 78 } as const;
const deurenberg = { adultEquationAge: 16, minAge: 7, maxAge: 83, minBmi: 13.9, maxBmi: 40.9, minPercent: 3, maxPercent: 70 } as const;
/** Lee's model was derived from adults below this BMI. It does not depend on the standard that names the categories. */
const leeBmiLimit = 30;
const settledDecimals = 10;

/**
 * All metrics of one body. Every body within the input's ranges has a result (C-47): a figure that its equation cannot give is null.
 * Each caveat is one sentence that says which figure is null, bounded or extrapolated, and why.
 */
export function computeHealthMetrics(body: Body, standard: BmiStandard): { metrics: HealthMetrics; caveats: string[] } {
  const { height_cm: height, weight_kg: weight, age, gender } = body;
  const male = gender === 'male' ? 1 : 0;
  const cutOffs = bmiStandards[standard];
  const caveats: string[] = [];
  if (age < adultAge) {
    caveats.push('BMI categories, the ideal weight range and calorie goals are for adults; under 18, growth charts by age and sex apply.');
  }

  // This order of operations: `weight / (height / 100) ** 2` puts 64 kg at 160 cm below 25.
  const bmi = (weight * 10_000) / (height * height);
  const bmr = 10 * weight + 6.25 * height - 5 * age + (male ? 5 : -161);
  if (age < mifflinAges.min || age > mifflinAges.max) {
    caveats.push(`bmr and tdee are extrapolated: their equation was derived from ages ${mifflinAges.min} to ${mifflinAges.max}.`);
  }

  const tdee = bmr * activityFactors[body.activity_level];
  const metrics: HealthMetrics = {
    bmi: round(bmi),
    bmi_category: categoryOf(settle(bmi), cutOffs),
    bmr: round(bmr),
    tdee: round(tdee),
    ideal_weight_range: [round((cutOffs.normal * height * height) / 10_000, 1), round((cutOffs.idealHigh * height * height) / 10_000, 1)],
    body_fat_estimate: bodyFat({ bmi, age, male }, caveats),
    muscle_mass_estimate: muscleMass({ bmi, age, male, weight, height }, caveats),
    calorie_goal: {
      maintain: round(tdee),
      lose_weight: round(weightLossGoal(tdee, gender, caveats)),
      gain_weight: round(tdee + calorieStep),
    },
  };
  return { metrics, caveats };
}

/**
 * Rounds half away from zero to a number of decimals.
 *
 * Doubles hold hardly any decimal half exactly, so the noise of the arithmetic (below 1e-11 here) is removed at the tenth decimal
 * first: 1.005 gives 1.01, although its double is slightly less. With heights to 0.1 cm and weights to 0.001 kg no exact result lies
 * nearer to a half than 8e-10 without being one, so the result is that of exact arithmetic. Powers of ten are applied to the decimal
 * text, where they are exact.
 */
export function roundHalfAwayFromZero(value: number, decimals: number): number {
  const shifted = Number(`${Math.abs(value).toFixed(settledDecimals)}e${decimals}`);
  const magnitude = Number(`${Math.round(shifted)}e-${decimals}`);
  return value < 0 && magnitude > 0 ? -magnitude : magnitude;
}

function round(value: number, decimals = 2): number {
  return roundHalfAwayFromZero(value, decimals);
}

/** Removes arithmetic noise before a comparison: the BMI of 73.96 kg at 172 cm computes to 24.999999999999996 and is 25. */
function settle(value: number): number {
  return Number(value.toFixed(settledDecimals));
}

function categoryOf(bmi: number, cutOffs: (typeof bmiStandards)[BmiStandard]): BmiCategory {
  if (bmi < cutOffs.normal) return 'underweight';
  if (bmi < cutOffs.overweight) return 'normal';
  return bmi < cutOffs.obese ? 'overweight' : 'obese';
}

function bodyFat({ bmi, age, male }: { bmi: number; age: number; male: number }, caveats: string[]): number | null {
  const { adultEquationAge, minAge, maxAge, minBmi, maxBmi, minPercent, maxPercent } = deurenberg;
  if (age < minAge) {
    caveats.push(`body_fat_estimate is null: its equation was derived from ages ${minAge} and over.`);
    return null;
  }
  const percent = age >= adultEquationAge ? 1.2 * bmi + 0.23 * age - 10.8 * male - 5.4 : 1.51 * bmi - 0.7 * age - 3.6 * male + 1.4;
  if (settle(percent) < minPercent || settle(percent) > maxPercent) {
    caveats.push(`body_fat_estimate is null: the equation gives a value outside ${minPercent} to ${maxPercent} %.`);
    return null;
  }
  if (age > maxAge || settle(bmi) < minBmi || settle(bmi) > maxBmi) {
    caveats.push(
      `body_fat_estimate is extrapolated: its equation was derived from ages ${minAge} to ${maxAge} and BMI ${minBmi} to ${maxBmi}.`,
    );
  }
  return round(percent);
}

function muscleMass(
  { bmi, age, male, weight, height }: { bmi: number; age: number; male: number; weight: number; height: number },
  caveats: string[],
): number | null {
  const kilograms = settle(0.244 * weight + 0.078 * height + 6.6 * male - 0.098 * age - 3.3);
  if (age < adultAge) caveats.push('muscle_mass_estimate is null: its equation is for adults.');
  else if (settle(bmi) >= leeBmiLimit) caveats.push(`muscle_mass_estimate is null: its equation is for a BMI under ${leeBmiLimit}.`);
  else if (kilograms <= 0 || kilograms >= weight)
    caveats.push('muscle_mass_estimate is null: the equation gives no plausible value for this body.');
  else return round(kilograms);
  return null;
}

function weightLossGoal(tdee: number, gender: Body['gender'], caveats: string[]): number {
  const floor = calorieFloor[gender];
  if (settle(tdee) <= floor) {
    caveats.push(`lose_weight equals maintain: the daily need is not above the floor of ${floor} kcal/day.`);
    return tdee;
  }
  if (settle(tdee - calorieStep) < floor) {
    caveats.push(`lose_weight is held at the floor of ${floor} kcal/day; a cut of ${calorieStep} kcal/day would go below it.`);
    return floor;
  }
  return tdee - calorieStep;
}
