import { displayWidth } from './display-width.js';

/** The narrowest that a column may be beside a wide one. */
const minShare = 0.35;

/**
 * How a table shares the width of the page between its columns: by the square root of the longest text, so that a column of long texts gets
 * more and one of numbers keeps enough.
 * @returns shares that add up to 1
 */
export function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const count = Math.max(1, ...rows.map((row) => row.length));
  const weights = Array.from({ length: count }, (_, column) =>
    Math.sqrt(Math.max(2, ...rows.map((row) => displayWidth(row[column] ?? '')))),
  );
  const average = weights.reduce((sum, weight) => sum + weight, 0) / count;
  const fair = weights.map((weight) => Math.min(Math.max(weight, average * minShare), average * 3));
  const total = fair.reduce((sum, weight) => sum + weight, 0);
  return fair.map((weight) => weight / total);
}
