import { searchKnowledge } from '#lib/contracts';
import { highlight } from '#lib/retrieval';
import { handle } from '../services.js';

/** Sections with a lower confidence are not returned. */
const minConfidence = 0.08;
/** When the best match has a lower confidence, it is usually wrong, so the answer has a warning (`npx invoq eval knowledge` prints how often). */
const likelyThreshold = 0.4;
const weak = 'The evidence is weak: the best match is probably beside the question, so do not give it as an answer';
/** The number of candidates that both searches can give. `total_count` counts within them. */
const maxMatches = 120;

export const handleSearchKnowledge = handle(
  searchKnowledge,
  async (input, { knowledge, metrics, caller, network, signal, warn, addDebugInfo }) => {
    const { query, domain, max_results, collection, tags, type } = input;
    const started = performance.now();
    const { hits, warnings, tookMs } = await network(() =>
      knowledge.search({
        tenantId: caller.tenantId,
        collections: [collection],
        query,
        // "general" means all domains.
        domain: domain === 'general' ? undefined : domain,
        tags,
        type,
        limit: maxMatches,
        signal,
      }),
    );
    for (const warning of warnings) warn(warning);
    const matches = hits.filter(({ confidence }) => confidence >= minConfidence);
    const shown = matches.slice(0, max_results);
    if (shown[0] && shown[0].confidence < likelyThreshold) warn(weak);
    addDebugInfo({
      confidence_parts: shown.map(({ section, confidence, parts }) => ({ title: section.title, confidence, ...parts })),
      took_ms: tookMs,
    });
    const seconds = (performance.now() - started) / 1_000;
    metrics.retrievalSeconds.observe({ tool: 'search_knowledge' }, seconds);
    return {
      query,
      domain,
      results: shown.map(({ section, confidence }) => ({
        title: section.title,
        content: section.content,
        source: section.source,
        confidence_score: rounded(confidence),
        last_updated: section.lastUpdated.toISOString(),
        tags: [...section.tags],
        ...(section.titleEn !== null && { title_en: section.titleEn }),
        page: section.page,
        ...(section.link !== null && { link: section.link }),
        document_id: section.documentId,
        highlight: toHighlight(section.content, query),
      })),
      total_count: matches.length,
      search_time_ms: Math.round(seconds * 1_000),
    };
  },
);

function toHighlight(content: string, query: string): { snippet: string; matches: string[] } {
  const { snippet, matches } = highlight(content, query);
  return { snippet, matches: [...matches] };
}

/** Rounds to four decimals, which keeps the order. */
function rounded(confidence: number): number {
  return Math.round(confidence * 10_000) / 10_000;
}
