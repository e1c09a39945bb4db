// `search_knowledge` within a turn. The skills in use decide which collections are searched, so the model is not shown those
// parameters and cannot set them (C-51).
import { z } from 'zod';
import type { ToolDefinition } from '#lib/contracts';
import type { ToolAnswer } from '../gateway-client.js';

export const searchKnowledge = 'search_knowledge';

const hiddenParameters = new Set(['collection', 'tags', 'type']);
const defaultLimit = 5;
const searchResult = z.looseObject({
  results: z.array(z.looseObject({ confidence_score: z.number() })),
  total_count: z.number(),
});

/** The definition as the model sees it. */
export function hideParameters(definition: ToolDefinition): ToolDefinition {
  const { properties } = definition.parameters;
  if (!properties) return definition;
  return { ...definition, parameters: { ...definition.parameters, properties: withoutHidden(properties) } };
}

interface Search {
  readonly input: Readonly<Record<string, unknown>>;
  /** Empty: the tool's own default. */
  readonly collections: readonly string[];
  readonly call: (input: Readonly<Record<string, unknown>>) => Promise<ToolAnswer>;
}

/** Searches every collection at once and merges the answers, the most confident results first. Fails only when all searches fail. */
export async function searchCollections({ input, collections, call }: Search): Promise<ToolAnswer> {
  const query = withoutHidden(input);
  const scopes = collections.length === 0 ? [{}] : collections.map((collection) => ({ collection }));
  const [first, ...rest] = await Promise.all(scopes.map((scope) => call({ ...query, ...scope })));
  if (!first) throw new Error('No collection was searched');
  const all = [first, ...rest];
  const found = all.flatMap((answer) => (answer.ok ? [searchResult.parse(answer.data)] : []));
  const [base] = found;
  if (!base || found.length === 1) return all.find(({ ok }) => ok) ?? first;
  const limit = typeof query['max_results'] === 'number' ? query['max_results'] : defaultLimit;
  const results = found.flatMap((one) => one.results).toSorted((a, b) => b.confidence_score - a.confidence_score);
  const warnings = [...new Set(all.flatMap((answer) => (answer.ok ? (answer.warnings ?? []) : [])))];
  return {
    ok: true,
    ...(warnings.length > 0 && { warnings }),
    data: { ...base, results: results.slice(0, limit), total_count: found.reduce((sum, one) => sum + one.total_count, 0) },
  };
}

function withoutHidden<Value>(fields: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !hiddenParameters.has(name)));
}
