/** The hits of one search, best first. */
export interface RankedLeg {
  readonly hits: readonly {
    readonly id: number;
    /** How good this hit is, 0–1. The nearest vector may still be far away. */
    readonly strength: number;
  }[];
  readonly weight: number;
}

/** How fast value falls with the rank. At 10, the eleventh hit counts about half of the first. */
const rankConstant = 10;
/** The lowest place of each search's best hit. */
const worstPlaceOfBest = 10;

/** Weighted reciprocal rank fusion (Cormack et al., 2009), with each search's best hit among the first ten. @returns ids, best first */
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
