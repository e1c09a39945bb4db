import type { FoundSection, KnowledgeBase, KnowledgeQuery } from '#lib/knowledge';
import type { Labelled } from './labelled.js';

export const systems = ['keyword', 'vector', 'fused', 'reranked'] as const;
export type SystemName = (typeof systems)[number];

const settingsOf: Readonly<Record<SystemName, Pick<KnowledgeQuery, 'legs' | 'ranking'>>> = {
  // One leg's own order, which fusion of one list keeps.
  keyword: { legs: 'keyword', ranking: 'fused' },
  vector: { legs: 'vector', ranking: 'fused' },
  fused: { legs: 'both', ranking: 'fused' },
  reranked: { legs: 'both', ranking: 'reranked' },
};

export interface Ranking {
  readonly labelled: Labelled;
  /** Sections found, best first, by the names of the labels; parts of one section are one. */
  readonly ids: readonly string[];
  readonly hits: readonly FoundSection[];
}

export interface RankOptions {
  readonly knowledge: KnowledgeBase;
  readonly tenantId: string;
}

export async function rank(
  { knowledge, tenantId }: RankOptions,
  labelled: readonly Labelled[],
  system: SystemName,
): Promise<readonly Ranking[]> {
  const rankings: Ranking[] = [];
  for (const one of labelled) {
    const { query, collection } = one;
    const { hits } = await knowledge.search({
      ...settingsOf[system],
      tenantId,
      collections: [collection],
      query,
      limit: 200,
      vectorBudgetMs: 60_000,
    });
    rankings.push({ labelled: one, hits, ids: [...new Set(hits.map(labelOf))] });
  }
  return rankings;
}

/** `<page file without ending>#<anchor>`, as the labels name sections. */
export function labelOf({ section }: FoundSection): string {
  return `${section.path.replace(/\.[^.]+$/, '')}#${section.anchor ?? ''}`;
}
