/** The parsers take about 1 ms for 1,000 characters of an ordinary text; a busy machine may take several times as long. */
const msPerThousand = 5;
const leastMs = 2_000;

/**
 * The time that texts may take together, in ms: enough for any ordinary text, and in proportion to their length.
 * @param least for formats that cost more than their length tells
 */
export function timeFor(chars: number, least = leastMs): number {
  return Math.round(least + (chars / 1_000) * msPerThousand);
}
