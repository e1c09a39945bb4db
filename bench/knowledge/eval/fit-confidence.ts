import type { Features } from '#lib/retrieval';
import { fitLogistic, predict, type Example } from './fit.js';
import { mean, ndcg } from './metrics.js';
import { labelOf, type Ranking } from './rankings.js';

const names = ['coverage', 'head_coverage', 'keyword', 'similarity'] as const satisfies readonly (keyof Features)[];
const folds = 5;

/** New weights of the confidence, and what they reach on questions that they were not fitted to. */
export function fitConfidence(rankings: readonly Ranking[]): string {
  const weights = fitLogistic(rankings.flatMap(examplesOf));
  const heldOut: number[] = [];
  for (let fold = 0; fold < folds; fold++) {
    const trained = fitLogistic(rankings.filter((_, at) => at % folds !== fold).flatMap(examplesOf));
    for (const [at, ranking] of rankings.entries()) {
      if (at % folds !== fold || ranking.labelled.kind === 'off_topic') continue;
      const order = ranking.hits.toSorted((a, b) => predict(trained, featuresOf(b.parts)) - predict(trained, featuresOf(a.parts)));
      heldOut.push(ndcg([...new Set(order.map(labelOf))], ranking.labelled.judged, 10));
    }
  }
  const lines = ['bias', ...names].map((name, at) => `  ${name}: ${(weights[at] ?? 0).toFixed(2)},`);
  return `${lines.join('\n')}\nnDCG@10 on questions that were held out (${folds} folds): ${mean(heldOut).toFixed(3)}`;
}

/** The best twenty of each question, so that an easy tail does not outweigh what has to be told apart. */
function examplesOf({ hits, labelled }: Ranking): readonly Example[] {
  return hits.slice(0, 20).map((hit) => ({
    features: featuresOf(hit.parts),
    isRelevant: (labelled.judged.get(labelOf(hit)) ?? 0) > 0,
    weight: 1,
  }));
}

function featuresOf(parts: Features): readonly number[] {
  return names.map((name) => parts[name]);
}
