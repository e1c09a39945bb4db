// Values that a JSON Schema allows. What it cannot follow (`not`, conditions) it leaves out: such a value is a mutation, not a mistake.
import { sample, stringMatching } from 'fast-check';
import type { Random } from '../../chaos/random.js';
import { isObject, listAt, objectAt, textAt, type JsonObject } from './json.js';

const maxDepth = 6;
const words = ['a', 'health', '失眠', 'Weekly report', '# Title\n\nText with **bold** and [[a link]].', 'main', 'x'.repeat(80)];
const formats: Readonly<Record<string, readonly string[]>> = {
  date: ['1990-05-15', '2024-02-29'],
  time: ['08:00', '23:59:59'],
  'date-time': ['2026-11-22T10:00:00Z', '1999-12-31T23:59:59.999Z'],
  uuid: ['3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  uri: ['https://app.example.com/done', 'https://example.com/?a=b#c'],
  email: ['a@example.com'],
};
/** By the name of a parameter: what exists in the system. */
const known: Readonly<Record<string, readonly string[]>> = {
  user_id: ['user_001', 'user_other', 'user_999'],
  merchant_id: ['m_onboarded', 'm_new', 'm_due', 'm_gone', 'm_standard', 'm_other', 'm_w1', 'm_w7'],
  stripe_account_id: ['acct_ok', 'acct_due', 'acct_gone', 'acct_w1', 'acct_w7'],
  account_id: ['acct_ok', 'acct_due', 'acct_gone', 'acct_w3'],
  location: ['北京', 'Beijing', 'Paris', 'London', 'Springfield', 'Tokyo', 'São Paulo'],
  query: ['失眠', 'sleep', 'retry rules', 'vitamin'],
};

export function valueOf(
  schema: unknown,
  random: Random,
  place: { readonly root?: unknown; readonly name?: string; readonly depth?: number } = {},
): unknown {
  const { root = schema, name = '', depth = 0 } = place;
  if (!isObject(schema)) return null;
  const at = (inner: unknown, more: { readonly name?: string } = {}) => valueOf(inner, random, { root, name, depth: depth + 1, ...more });
  if ('const' in schema) return schema['const'];
  const allowed = listAt(schema, 'enum');
  if (allowed.length > 0) return random.pick(allowed);
  const reference = textAt(schema, '$ref');
  if (reference) return depth > maxDepth ? null : at(resolve(root, reference));
  const ways = [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')];
  if (ways.length > 0) return at(random.pick(ways));
  const parts = listAt(schema, 'allOf');
  if (parts.length > 0) return at(Object.assign({}, ...parts, { allOf: [] }));
  switch (typeOf(schema, random)) {
    case 'object':
      return objectOf(schema, random, { at, depth });
    case 'array':
      return Array.from({ length: depth > maxDepth ? 0 : lengthOf(schema, random) }, () => at(schema['items'] ?? {}));
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
      return Math.round(numberOf(schema, random));
    case 'number':
      return numberOf(schema, random);
    case 'null':
      return null;
    default:
      return textOf(schema, random, name);
  }
}

type Inner = (schema: unknown, more: { readonly name: string }) => unknown;

function objectOf(schema: JsonObject, random: Random, { at, depth }: { readonly at: Inner; readonly depth: number }): JsonObject {
  const required = new Set(listAt(schema, 'required'));
  const chosen = Object.entries(objectAt(schema, 'properties')).filter(
    ([key]) => required.has(key) || (depth <= maxDepth && random.chance(0.4)),
  );
  return Object.fromEntries(chosen.map(([key, inner]) => [key, at(inner, { name: key })]));
}

function textOf(schema: JsonObject, random: Random, name: string): string {
  const pool = known[name] ?? formats[textAt(schema, 'format') ?? ''];
  if (pool && random.chance(0.7)) return random.pick(pool);
  const pattern = textAt(schema, 'pattern');
  if (pattern) return matching(pattern, random);
  const text = random.pick(pool ?? words);
  const { minLength = 0, maxLength = 10_000 } = { minLength: numberAt(schema, 'minLength'), maxLength: numberAt(schema, 'maxLength') };
  return text.padEnd(minLength, 'x').slice(0, maxLength);
}

/** Building values for a pattern takes 15 ms, so each pattern has a few of them. */
const samples = new Map<string, readonly string[]>();

function matching(pattern: string, random: Random): string {
  let texts = samples.get(pattern);
  if (!texts) {
    texts = samplesOf(pattern);
    samples.set(pattern, texts);
  }
  return random.pick(texts);
}

function samplesOf(pattern: string): readonly string[] {
  try {
    return sample(stringMatching(new RegExp(pattern, 'u')), { seed: 1, numRuns: 20 });
  } catch {
    return words;
  }
}

function numberOf(schema: JsonObject, random: Random): number {
  const from = numberAt(schema, 'minimum') ?? numberAt(schema, 'exclusiveMinimum') ?? 0;
  const to = numberAt(schema, 'maximum') ?? numberAt(schema, 'exclusiveMaximum') ?? from + 1_000;
  if (random.chance(0.3)) return random.pick([from, to]);
  return from + random.next() * (to - from);
}

function lengthOf(schema: JsonObject, random: Random): number {
  const least = numberAt(schema, 'minItems') ?? 0;
  return random.integer(least, Math.min(numberAt(schema, 'maxItems') ?? least + 3, least + 3));
}

function typeOf(schema: JsonObject, random: Random): string {
  const type = schema['type'];
  if (Array.isArray(type)) return String(random.pick<unknown>(type));
  if (typeof type === 'string') return type;
  return 'properties' in schema ? 'object' : 'items' in schema ? 'array' : 'string';
}

function numberAt(schema: JsonObject, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}

function resolve(root: unknown, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((holder, key) => (isObject(holder) ? holder[key] : undefined), root);
}
