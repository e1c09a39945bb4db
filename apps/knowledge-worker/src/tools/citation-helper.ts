import { citationHelper } from '#lib/contracts';
import { groundedThreshold, type FoundSection } from '#lib/knowledge';
import { handle } from '../services.js';

/** The part of the 500 ms (ST-49) for vector search. The rest is for keywords, ranking and load. */
const vectorBudgetMs = 200;
const collection = 'stripe-onboarding';

const refuse = {
  suggestion: 'refuse',
  fallback: ['express_dashboard', 'relink'] as ('express_dashboard' | 'relink')[],
};

export const handleCitationHelper = handle(
  citationHelper,
  async ({ claim, top_k }, { knowledge, metrics, caller, network, signal, warn, addDebugInfo, setMessage, error }) => {
    const started = performance.now();
    const { hits, warnings, tookMs } = await network(() =>
      knowledge.search({ tenantId: caller.tenantId, collections: [collection], query: claim, limit: top_k * 4, vectorBudgetMs, signal }),
    );
    const retrievalMs = Math.round((performance.now() - started) * 10) / 10;
    metrics.retrievalSeconds.observe({ tool: 'citation_helper' }, retrievalMs / 1_000);
    for (const warning of warnings) warn(warning);
    const citations = hits
      .flatMap((hit) => {
        const citation = toCitation(hit);
        return citation ? [{ hit, citation }] : [];
      })
      .slice(0, top_k);
    addDebugInfo({ confidence_parts: citations.map(({ hit, citation }) => ({ url: citation.url, ...hit.parts })), took_ms: tookMs });
    const [best] = citations;
    if (!best)
      throw error('no_evidence', 'Nothing in the runbook or the Stripe documents speaks of this claim', {
        extra: { grounded: false },
      });
    for (const { hit } of citations) {
      const doc_type = hit.section.type === 'internal' ? 'internal' : 'stripe';
      metrics.citations.inc({ doc_type });
      metrics.citationConfidence.observe({ doc_type }, hit.confidence);
    }
    const grounded = best.citation.confidence >= groundedThreshold;
    if (!grounded) setMessage('The evidence is weak: do not tell this to a merchant; lead to the Express Dashboard or to Relink.');
    return { citations: citations.map(({ citation }) => citation), grounded, retrieval_ms: retrievalMs, ...(!grounded && refuse) };
  },
);

/** The citation of a section. Null when the section has no public address and no path. */
function toCitation({ section, confidence }: FoundSection) {
  if (section.link === null) return null;
  const named = section.anchor === null ? {} : { section: section.titleEn ?? section.title };
  return {
    title: section.page === section.title ? section.title : `${section.page} › ${section.title}`,
    url: section.link,
    ...named,
    confidence: Math.round(confidence * 10_000) / 10_000,
  };
}
