// Worked examples of calc_metrics, computed with exact decimals by two independent implementations.

export interface MetricsInput {
  readonly height_cm: number;
  readonly weight_kg: number;
  readonly age: number;
  readonly gender: 'male' | 'female';
  readonly activity_level: 'sedentary' | 'light' | 'moderate' | 'active' | 'very_active';
}

export interface MetricsOutput {
  readonly bmi: number;
  readonly bmi_category: 'underweight' | 'normal' | 'overweight' | 'obese';
  readonly bmr: number;
  readonly tdee: number;
  readonly ideal_weight_range: readonly [number, number];
  readonly body_fat_estimate: number | null;
  readonly muscle_mass_estimate: number | null;
  readonly calorie_goal: { readonly maintain: number; readonly lose_weight: number; readonly gain_weight: number };
}

type Row = readonly [
  input: readonly [
    MetricsInput['height_cm'],
    MetricsInput['weight_kg'],
    MetricsInput['age'],
    MetricsInput['gender'],
    MetricsInput['activity_level'],
  ],
  bmi: readonly [number, MetricsOutput['bmi_category'], chinese: MetricsOutput['bmi_category']],
  energy: readonly [bmr: number, tdee: number],
  ideal: readonly [number, number],
  estimates: readonly [fat: number | null, muscle: number | null],
  goals: readonly [lose: number, gain: number],
];

const rows: readonly Row[] = [
  [
    [175, 70, 30, 'male', 'moderate'],
    [22.86, 'normal', 'normal'],
    [1648.75, 2555.56],
    [56.7, 76.3],
    [18.13, 31.09],
    [2055.56, 3055.56],
  ],
  [
    [162, 55, 25, 'female', 'sedentary'],
    [20.96, 'normal', 'normal'],
    [1276.5, 1531.8],
    [48.6, 65.3],
    [25.5, 20.31],
    [1200, 2031.8],
  ],
  [
    [180, 80, 45, 'male', 'light'],
    [24.69, 'normal', 'overweight'],
    [1705, 2344.38],
    [59.9, 80.7],
    [23.78, 32.45],
    [1844.38, 2844.38],
  ],
  [
    [170, 65, 35, 'female', 'active'],
    [22.49, 'normal', 'normal'],
    [1376.5, 2374.46],
    [53.5, 72],
    [29.64, 22.39],
    [1874.46, 2874.46],
  ],
  [
    [183, 95, 28, 'male', 'very_active'],
    [28.37, 'overweight', 'obese'],
    [1958.75, 3721.63],
    [62, 83.4],
    [24.28, 38.01],
    [3221.63, 4221.63],
  ],
  [
    [158, 48, 22, 'female', 'light'],
    [19.23, 'normal', 'normal'],
    [1196.5, 1645.19],
    [46.2, 62.2],
    [22.73, 18.58],
    [1200, 2145.19],
  ],
  [
    [165, 45, 19, 'female', 'sedentary'],
    [16.53, 'underweight', 'underweight'],
    [1225.25, 1470.3],
    [50.4, 67.8],
    [18.8, 18.69],
    [1200, 1970.3],
  ],
  [
    [170, 72.25, 50, 'male', 'sedentary'],
    [25, 'overweight', 'overweight'],
    [1540, 1848],
    [53.5, 72],
    [25.3, 29.29],
    [1500, 2348],
  ],
  [
    [160, 47.36, 40, 'female', 'light'],
    [18.5, 'normal', 'normal'],
    [1112.6, 1529.83],
    [47.4, 63.7],
    [26, 16.82],
    [1200, 2029.83],
  ],
  [
    [175, 91.875, 60, 'male', 'light'],
    [30, 'obese', 'obese'],
    [1717.5, 2361.56],
    [56.7, 76.3],
    [33.6, null],
    [1861.56, 2861.56],
  ],
  [
    [150, 120, 70, 'female', 'sedentary'],
    [53.33, 'obese', 'obese'],
    [1626.5, 1951.8],
    [41.6, 56],
    [null, null],
    [1451.8, 2451.8],
  ],
  [
    [140, 35, 10, 'male', 'active'],
    [17.86, 'underweight', 'underweight'],
    [1180, 2035.5],
    [36.3, 48.8],
    [17.76, null],
    [1535.5, 2535.5],
  ],
];

function example([
  [height_cm, weight_kg, age, gender, activity_level],
  [bmi, who, chinese],
  [bmr, tdee],
  ideal,
  [fat, muscle],
  [lose, gain],
]: Row) {
  const input: MetricsInput = { height_cm, weight_kg, age, gender, activity_level };
  const output: MetricsOutput = {
    bmi,
    bmi_category: who,
    bmr,
    tdee,
    ideal_weight_range: ideal,
    body_fat_estimate: fat,
    muscle_mass_estimate: muscle,
    calorie_goal: { maintain: tdee, lose_weight: lose, gain_weight: gain },
  };
  return { input, output, chinese };
}

export const workedExamples = rows.map(example);

/** The corners of the legal domain; they must succeed, never with NaN or a negative number. */
export const extremes: readonly { readonly input: MetricsInput; readonly output: Partial<MetricsOutput>; readonly loseWeight: number }[] = [
  {
    input: { height_cm: 100, weight_kg: 30, age: 1, gender: 'female', activity_level: 'sedentary' },
    output: { bmi: 30, bmi_category: 'obese', bmr: 759, tdee: 910.8, body_fat_estimate: null, muscle_mass_estimate: null },
    loseWeight: 910.8,
  },
  {
    input: { height_cm: 250, weight_kg: 300, age: 120, gender: 'male', activity_level: 'very_active' },
    output: { bmi: 48, bmi_category: 'obese', bmr: 3967.5, tdee: 7538.25, body_fat_estimate: 69, muscle_mass_estimate: null },
    loseWeight: 7038.25,
  },
  {
    input: { height_cm: 100, weight_kg: 30, age: 120, gender: 'female', activity_level: 'sedentary' },
    output: { bmi: 30, bmi_category: 'obese', bmr: 164, tdee: 196.8, body_fat_estimate: 58.2, muscle_mass_estimate: null },
    loseWeight: 196.8,
  },
  {
    input: { height_cm: 100, weight_kg: 300, age: 120, gender: 'female', activity_level: 'very_active' },
    output: { bmi: 300, bmi_category: 'obese', bmr: 2864, tdee: 5441.6, body_fat_estimate: null, muscle_mass_estimate: null },
    loseWeight: 4941.6,
  },
  {
    input: { height_cm: 168, weight_kg: 68.5, age: 33, gender: 'male', activity_level: 'moderate' },
    output: { bmi: 24.27, bmi_category: 'normal', bmr: 1575, tdee: 2441.25, body_fat_estimate: 20.51, muscle_mass_estimate: 29.88 },
    loseWeight: 1941.25,
  },
  {
    input: { height_cm: 250, weight_kg: 30, age: 1, gender: 'male', activity_level: 'light' },
    output: { bmi: 4.8, bmi_category: 'underweight', bmr: 1862.5, tdee: 2560.94, body_fat_estimate: null, muscle_mass_estimate: null },
    loseWeight: 2060.94,
  },
];
