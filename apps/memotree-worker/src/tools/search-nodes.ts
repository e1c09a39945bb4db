import { memotreeLimits as limits, searchNodes } from '#lib/contracts';
import { readOperation } from '../operation.js';
import { findNodes, newestNodes, type Found } from '../search/find-nodes.js';
import { findRelated } from '../search/find-related.js';
import { charsOf, previewedNode } from '../search/preview.js';
import { resolveScope, type SearchScope } from '../search/search-scope.js';
import { View } from '../views.js';

const legsOf = { FullText: 'keyword', Semantic: 'vector', Hybrid: 'both' } as const;

export const handleSearchNodes = readOperation(searchNodes, async (input, { database, scope, reader }, context) => {
  const { search, signal } = context;
  const warnings: string[] = [];
  const limit = Math.min(input.maxResults, limits.results);
  if (input.maxResults > limits.results) warnings.push(`maxResults is capped at ${limits.results}`);
  const view = new View(database, scope.sessionId, input.viewName);
  const { allowed, warnings: ofScope } = await resolveScope(reader, view, input);
  warnings.push(...ofScope);
  signal.throwIfAborted();
  const { query } = input;
  const filters = { types: input.nodeTypes ?? [], tags: input.tags ?? [], allowed, limit };
  let ran = input.searchType;
  let found: readonly (Found & { readonly hops?: number })[];
  if (query.trim() === '') found = await newestNodes(reader, filters);
  else if (ran === 'Relation') {
    const byText = async () =>
      (await findNodes(search, reader, { ...filters, allowed: { kind: 'all' }, types: [], tags: [], query, legs: 'keyword', signal }))
        .found;
    const related = await findRelated(reader, { query, types: input.relationTypes, hops: input.maxHops, byText });
    found = (await within(related, allowed)).filter(({ node }) => passes(node)).slice(0, limit);
  } else {
    const result = await findNodes(search, reader, { ...filters, query, legs: legsOf[ran], signal });
    found = result.found;
    warnings.push(...result.warnings);
    if (ran === 'Semantic' && result.warnings.some((warning) => warning.startsWith('Searched by keywords alone'))) {
      // Without vectors the search falls back to keywords (MT-16).
      ran = 'FullText';
      found = (await findNodes(search, reader, { ...filters, query, legs: 'keyword', signal })).found;
    }
  }
  const ancestry = await reader.ancestry(found.map(({ node }) => node.nodeId));
  const texts = await reader.texts(found.flatMap(({ node }) => [node.detailHash, node.summaryHash, node.briefHash]));
  const nodes = found.map(({ node }) => previewedNode(node, texts));
  const previews =
    found.length === 0
      ? []
      : await context.texts.run(
          'previews',
          { nodes, query, length: input.previewLength },
          { tenant: context.caller.tenantId, signal, chars: charsOf(nodes), advice: "'maxResults': ask for fewer" },
        );
  const results = found.map(({ node, score, hops }, index) => {
    const { level = 'Title', preview = node.title, highlightedTerms = [] } = previews[index] ?? {};
    return {
      nodeId: node.nodeId,
      title: node.title,
      type: node.type,
      tags: [...node.tags],
      parentId: node.parentId,
      level,
      score: Math.round(score * 10_000) / 10_000,
      ...(input.includePreview && { preview }),
      highlightedTerms,
      path: ancestry.ancestors(node.nodeId).map((step) => step.title),
      staged: node.layerId === scope.stageId,
      ...(hops !== undefined && { hops }),
    };
  });
  return { data: { results, searchType: ran }, message: `${results.length} nodes found`, warnings };

  function passes({ type, tags }: Found['node']): boolean {
    return (filters.types.length === 0 || filters.types.includes(type)) && filters.tags.every((tag) => tags.includes(tag));
  }

  async function within<One extends Found>(all: readonly One[], where: SearchScope): Promise<readonly One[]> {
    if (where.kind === 'all') return all;
    if (where.kind === 'ids') {
      const ids = new Set(where.ids);
      return all.filter(({ node }) => ids.has(node.nodeId));
    }
    const ways = await reader.ancestry(all.map(({ node }) => node.nodeId));
    return all.filter(({ node }) => ways.isUnder(node.nodeId, where.topId));
  }
});
