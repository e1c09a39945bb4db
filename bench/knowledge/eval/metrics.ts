// The usual measures of ranked retrieval, as trec_eval computes them: graded gains for nDCG, grade 1 and above is relevant.

/** Grades by document id. */
export type Judgements = ReadonlyMap<string, number>;

/** nDCG over the first k: gains are grades, discounted by the logarithm of the rank. 0 without relevant documents. */
export function ndcg(ranked: readonly string[], judged: Judgements, k: number): number {
  const discounted = (grades: readonly number[]): number =>
    grades.slice(0, k).reduce((sum, grade, rank) => sum + grade / Math.log2(rank + 2), 0);
  const ideal = discounted([...judged.values()].toSorted((a, b) => b - a));
  return ideal > 0 ? discounted(ranked.map((id) => judged.get(id) ?? 0)) / ideal : 0;
}

/** One over the rank of the first relevant document; 0 when there is none. */
export function reciprocalRank(ranked: readonly string[], judged: Judgements): number {
  const rank = ranked.findIndex((id) => (judged.get(id) ?? 0) > 0);
  return rank < 0 ? 0 : 1 / (rank + 1);
}

/** Share of the relevant documents that are among the first k. */
export function recall(ranked: readonly string[], judged: Judgements, k: number): number {
  const relevant = [...judged].filter(([, grade]) => grade > 0).map(([id]) => id);
  if (relevant.length === 0) return 0;
  const first = new Set(ranked.slice(0, k));
  return relevant.filter((id) => first.has(id)).length / relevant.length;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
