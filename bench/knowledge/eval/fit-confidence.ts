import type { Features } from '#lib/retrieval';
import { fitLogistic, predict, type Example } from './fit.js';
import { hasAnswer } from './labelled.js';
import { measuresOf } from './measures.js';
import { labelOf, type Ranking } from './rankings.js';
import { percent, table } from './report.js';

const names = [
  'coverage',
  'head_coverage',
  'unknown',
  'gap',
  'keyword',
  'lead',
  'similarity',
] as const satisfies readonly (keyof Features)[];
const thresholds = [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6];
/** Weight of such a question: there are many more of them than users would ask. */
const elsewhereWeight = 0.25;

/**
 * New weights of the confidence, fitted to the development half, and what each threshold would ground: on that half and on the held-out one.
 * @param rankings in the order of fusion, which does not depend on the weights that there are
 */
export function fitConfidence(rankings: readonly Ranking[]): string {
  const of = (split: string) => rankings.filter(({ labelled }) => labelled.split === split);
  const weights = fitLogistic(of('development').flatMap(examplesOf));
  const judged = (split: string): readonly Ranking[] => of(split).map((ranking) => reranked(ranking, weights));
  const rows = thresholds.map((from) => [
    from.toFixed(2),
    ...['development', 'held_out'].flatMap((split) => {
      const { grounded, rightlyGrounded, falselyGrounded, groundedElsewhere } = measuresOf(judged(split), from);
      return [grounded, rightlyGrounded, falselyGrounded, groundedElsewhere].map(percent);
    }),
  ]);
  const quality = ['development', 'held_out'].map((split) => {
    const { ndcg, mrr, recall } = measuresOf(judged(split));
    return `${split}: nDCG@10 ${ndcg.toFixed(3)}, MRR ${mrr.toFixed(3)}, recall@5 ${recall.toFixed(3)}`;
  });
  return [
    ['bias', ...names].map((name, at) => `${name}: ${(weights[at] ?? 0).toFixed(2)}`).join(', '),
    ...quality,
    table(['from', ...['dev', 'held'].flatMap((half) => [`${half} grounded`, 'right', 'off-topic', 'elsewhere'])], rows),
  ].join('\n');
}

/** The best twenty hits of each question: a long tail of easy ones would outweigh the hits that matter. */
function examplesOf({ hits, labelled }: Ranking): readonly Example[] {
  return hits.slice(0, 20).map((hit) => ({
    features: featuresOf(hit.parts),
    isRelevant: (labelled.judged.get(labelOf(hit)) ?? 0) > 0,
    weight: labelled.kind === 'elsewhere' ? elsewhereWeight : 1,
  }));
}

function reranked(ranking: Ranking, weights: readonly number[]): Ranking {
  const hits = ranking.hits
    .map((hit) => ({ ...hit, confidence: predict(weights, featuresOf(hit.parts)) }))
    .toSorted((a, b) => b.confidence - a.confidence);
  return { labelled: ranking.labelled, hits, ids: hasAnswer(ranking.labelled) ? [...new Set(hits.map(labelOf))] : [] };
}

function featuresOf(parts: Features): readonly number[] {
  return names.map((name) => parts[name] ?? 0);
}
