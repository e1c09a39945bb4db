/** Parameters of calc_metrics. The weight tells one call from another. */
export function parametersOf(weightKg: number, age = 30) {
  return { height_cm: 175, weight_kg: weightKg, age, gender: 'male', activity_level: 'moderate' };
}

let given = 0;

/** Never the same twice in a process, and within what the contract allows for 25 million calls. */
export function newWeight(): number {
  given += 1;
  return Number((40 + given / 100_000).toFixed(5));
}
