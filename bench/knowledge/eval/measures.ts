import { groundedThreshold } from '#lib/knowledge';
import { hasAnswer } from './labelled.js';
import { mean, ndcg, recall, reciprocalRank } from './metrics.js';
import type { Ranking } from './rankings.js';

/** What a system reaches over some questions, each a share of 1. */
export interface Measures {
  readonly ndcg: number;
  readonly mrr: number;
  readonly recall: number;
  /** Of the questions that have an answer, those whose first hit is trusted. */
  readonly grounded: number;
  /** Of those, the ones whose first hit does answer. */
  readonly rightlyGrounded: number;
  /** Of the off-topic questions, those whose first hit is trusted all the same. */
  readonly falselyGrounded: number;
  /** The same for questions of another collection. */
  readonly groundedElsewhere: number;
}

export function measuresOf(all: readonly Ranking[], from = groundedThreshold): Measures {
  const asked = all.filter(({ labelled }) => hasAnswer(labelled));
  const trusted = ({ hits }: Ranking): number => ((topOf(hits)?.confidence ?? 0) >= from ? 1 : 0);
  const trustedOf = (kind: string): number => mean(all.filter(({ labelled }) => labelled.kind === kind).map(trusted));
  return {
    ndcg: mean(asked.map(({ ids, labelled }) => ndcg(ids, labelled.judged, 10))),
    mrr: mean(asked.map(({ ids, labelled }) => reciprocalRank(ids, labelled.judged))),
    recall: mean(asked.map(({ ids, labelled }) => recall(ids, labelled.judged, 5))),
    grounded: mean(asked.map(trusted)),
    rightlyGrounded: mean(
      asked.filter((ranking) => trusted(ranking) === 1).map(({ ids, labelled }) => (labelled.judged.has(ids[0] ?? '') ? 1 : 0)),
    ),
    falselyGrounded: trustedOf('off_topic'),
    groundedElsewhere: trustedOf('elsewhere'),
  };
}

/** Confidence that the tools act on: that of the first hit, which is the most confident one after reranking. */
function topOf<Hit extends { readonly confidence: number }>(hits: readonly Hit[]): Hit | undefined {
  return hits.reduce<Hit | undefined>((best, hit) => (best && best.confidence >= hit.confidence ? best : hit), undefined);
}
