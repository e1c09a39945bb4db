// Logistic regression by Newton's method: few features, few thousand rows, no library needed.

export interface Example {
  /** Without the constant. */
  readonly features: readonly number[];
  readonly isRelevant: boolean;
  /** Sample weight. */
  readonly weight: number;
}

/** L2 regularisation: keeps the weights of correlated features from cancelling each other with large values. */
const ridge = 1;

/** Weights, the constant first. */
export function fitLogistic(examples: readonly Example[], rounds = 25): readonly number[] {
  const size = (examples[0]?.features.length ?? 0) + 1;
  let weights = Array.from({ length: size }, () => 0);
  for (let round = 0; round < rounds; round++) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : -ridge * weight));
    const hessian: number[][] = weights.map((_, row) => weights.map((__, column) => (row === column ? (row === 0 ? 1e-6 : ridge) : 0)));
    for (const { features, isRelevant, weight } of examples) {
      const x = [1, ...features];
      const p = predict(weights, features);
      for (let row = 0; row < size; row++) {
        gradient[row] = (gradient[row] ?? 0) + weight * ((isRelevant ? 1 : 0) - p) * (x[row] ?? 0);
        for (let column = 0; column < size; column++) {
          const line = hessian[row];
          if (line) line[column] = (line[column] ?? 0) + weight * p * (1 - p) * (x[row] ?? 0) * (x[column] ?? 0);
        }
      }
    }
    const step = solve(hessian, gradient);
    weights = weights.map((weight, at) => weight + (step[at] ?? 0));
  }
  return weights;
}

export function predict(weights: readonly number[], features: readonly number[]): number {
  const odds = features.reduce((sum, value, at) => sum + value * (weights[at + 1] ?? 0), weights[0] ?? 0);
  return 1 / (1 + Math.exp(-odds));
}

/** Gaussian elimination with pivots. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  const size = rows.length;
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++) if (Math.abs(cell(row, column)) > Math.abs(cell(pivot, column))) pivot = row;
    const [chosen, displaced] = [rows[pivot] ?? [], rows[column] ?? []];
    rows[column] = chosen;
    rows[pivot] = displaced;
    for (let row = 0; row < size; row++) {
      if (row === column) continue;
      const factor = cell(row, column) / cell(column, column);
      rows[row] = (rows[row] ?? []).map((value, at) => value - factor * cell(column, at));
    }
  }
  return rows.map((row, at) => (row[size] ?? 0) / cell(at, at));
}
