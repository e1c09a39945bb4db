/** One leg's hits, best first. */
export interface RankedLeg {
  readonly ids: readonly number[];
  readonly weight: number;
}

/** How quickly a rank loses worth: at 10 the tenth counts half of the first. */
const rankConstant = 10;
/** The best hit of each leg stands at least here, whatever the other thinks of it. */
const worstPlaceOfBest = 5;

/** Weighted reciprocal rank fusion that keeps each leg's best hit near the top: equal weights alone bury what one leg is sure of. */
export function fuse(legs: readonly RankedLeg[]): readonly number[] {
  const scores = new Map<number, number>();
  for (const { ids, weight } of legs)
    for (const [rank, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + weight / (rankConstant + rank + 1));
  const order = [...scores].toSorted(([idA, a], [idB, b]) => b - a || idA - idB).map(([id]) => id);
  for (const { ids } of legs) {
    const [best] = ids;
    const place = best === undefined ? -1 : order.indexOf(best);
    if (best === undefined || place < worstPlaceOfBest) continue;
    order.splice(place, 1);
    order.splice(worstPlaceOfBest - 1, 0, best);
  }
  return order;
}
