// `search_knowledge` within a turn: the parameters of its contract's own document, and the collections of the skills in use,
// which the model does not choose (C-51).
import { z } from 'zod';
import type { ToolDefinition } from '#lib/contracts';
import type { ToolAnswer } from '../gateway-client.js';

export const searchKnowledge = 'search_knowledge';

const ours = new Set(['collection', 'tags', 'type']);
const found = z.looseObject({
  results: z.array(z.looseObject({ confidence_score: z.number() })),
  total_count: z.number(),
});

/** The definition as a model is shown it. */
export function withoutCollections(definition: ToolDefinition): ToolDefinition {
  const properties = definition.parameters['properties'];
  if (typeof properties !== 'object' || properties === null) return definition;
  const shown = Object.fromEntries(Object.entries(properties).filter(([name]) => !ours.has(name)));
  return { ...definition, parameters: { ...definition.parameters, properties: shown } };
}

interface Search {
  readonly input: Readonly<Record<string, unknown>>;
  /** Empty: where the tool looks by itself. */
  readonly collections: readonly string[];
  readonly call: (input: Readonly<Record<string, unknown>>) => Promise<ToolAnswer>;
}

/** One answer from every collection, the best first. Fails only when all do. */
export async function searchIn({ input, collections, call }: Search): Promise<ToolAnswer> {
  const asked = Object.fromEntries(Object.entries(input).filter(([name]) => !ours.has(name)));
  const [first, ...rest] = await Promise.all(
    (collections.length === 0 ? [{}] : collections.map((collection) => ({ collection }))).map((where) => call({ ...asked, ...where })),
  );
  if (!first) throw new Error('No collection was asked');
  const answers = [first, ...rest].flatMap((answer) => (answer.ok ? [found.parse(answer.data)] : []));
  const [best] = answers;
  if (!best || answers.length === 1) return [first, ...rest].find(({ ok }) => ok) ?? first;
  const limit = typeof asked['max_results'] === 'number' ? asked['max_results'] : 5;
  const results = answers.flatMap((answer) => answer.results).toSorted((a, b) => b.confidence_score - a.confidence_score);
  return {
    ok: true,
    data: { ...best, results: results.slice(0, limit), total_count: answers.reduce((sum, answer) => sum + answer.total_count, 0) },
  };
}
