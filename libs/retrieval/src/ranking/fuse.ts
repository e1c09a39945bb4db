/** One leg's hits, best first. */
export interface RankedLeg {
  readonly hits: readonly {
    readonly id: number;
    /** How sure the leg is of this hit, 0–1: a neighbour that is far away is still the nearest. */
    readonly strength: number;
  }[];
  readonly weight: number;
}

/** How quickly a rank loses worth: at 10 the tenth counts half of the first. */
const rankConstant = 10;
/** The best hit of each leg stands at least here, whatever the other thinks of it. */
const worstPlaceOfBest = 10;

/** Weighted reciprocal rank fusion that keeps each leg's best hit near the top: equal weights alone bury what one leg is sure of. */
export function fuse(legs: readonly RankedLeg[]): readonly number[] {
  const scores = new Map<number, number>();
  for (const { hits, weight } of legs)
    for (const [rank, { id, strength }] of hits.entries())
      scores.set(id, (scores.get(id) ?? 0) + (weight * strength) / (rankConstant + rank + 1));
  const order = [...scores].toSorted(([idA, a], [idB, b]) => b - a || idA - idB).map(([id]) => id);
  for (const { hits } of legs) {
    const best = hits[0]?.id;
    const place = best === undefined ? -1 : order.indexOf(best);
    if (best === undefined || place < worstPlaceOfBest) continue;
    order.splice(place, 1);
    order.splice(worstPlaceOfBest - 1, 0, best);
  }
  return order;
}
