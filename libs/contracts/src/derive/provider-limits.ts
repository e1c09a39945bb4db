// What providers of models refuse in a definition. One such tool costs the whole request, so it is mapped or cut.
import { withEllipsis } from '../cut-text.js';
import type { JsonSchema } from './json-schema.js';
import { combining, definitionOf, isSchema } from './references.js';

/** The longest description of a function that OpenAI and Gemini take, in characters. */
const maxDescription = 1_024;
/** Branches that lead into branches; a schema of a stranger may do so for ever. */
const mostLevels = 8;

/** The description as these providers take it. */
export function briefDescription(description: string): string {
  return withEllipsis(description, maxDescription);
}

/**
 * The parameters as one object, which providers ask for: they refuse `anyOf`, `oneOf`, `allOf`, `not`, `enum` and conditions at the top.
 * The fields of all branches are kept; which of them go together is left to the tool, and its faults tell.
 */
export function plainParameters(schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf, allOf, not: _not, if: _if, then, else: other, enum: _enum, const: _const, ...rest } = schema;
  const branches = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? []), then, other];
  const found: Record<string, JsonSchema> = {};
  for (const branch of branches) Object.assign(found, fieldsOf(schema, branch, mostLevels));
  const required = [...(rest.required ?? []), ...(allOf ?? []).flatMap((branch) => branch.required ?? [])];
  const properties = { ...found, ...rest.properties };
  return {
    ...rest,
    type: 'object',
    properties,
    ...(required.length > 0 && { required: [...new Set(required)].filter((name) => Object.hasOwn(properties, name)) }),
  };
}

/** Whether the fields of the top are all that it says, so that a strict form of them loses nothing. */
export function isPlain(schema: JsonSchema): boolean {
  return ![...combining, 'not', 'if', 'then', 'else', 'patternProperties', 'propertyNames'].some((keyword) => keyword in schema);
}

const strictLimits = { levels: 10, properties: 5_000, values: 1_000 } as const;

/** Whether OpenAI's strict mode takes a schema of this size. */
export function isWithinStrictLimits(schema: JsonSchema): boolean {
  const seen = { levels: 0, properties: 0, values: 0 };
  const look = (part: unknown, level: number): void => {
    if (Array.isArray(part)) for (const one of part) look(one, level);
    if (!isSchema(part)) return;
    const { properties, enum: values } = part;
    if (isSchema(properties)) seen.properties += Object.keys(properties).length;
    if (Array.isArray(values)) seen.values += values.length;
    const inner = level + (isSchema(properties) ? 1 : 0);
    seen.levels = Math.max(seen.levels, inner);
    for (const one of Object.values(part)) look(one, inner);
  };
  look(schema, 0);
  return seen.levels <= strictLimits.levels && seen.properties <= strictLimits.properties && seen.values <= strictLimits.values;
}

function fieldsOf(root: JsonSchema, branch: unknown, levels: number): Record<string, JsonSchema> {
  if (!isSchema(branch) || levels === 0) return {};
  const inner = [branch['anyOf'], branch['oneOf'], branch['allOf'], branch['then'], branch['else']].flat();
  const referred = typeof branch['$ref'] === 'string' ? [definitionOf(root, branch['$ref'])] : [];
  const found: Record<string, JsonSchema> = {};
  for (const part of [...referred, ...inner]) Object.assign(found, fieldsOf(root, part, levels - 1));
  return Object.assign(found, isSchema(branch['properties']) ? branch['properties'] : {});
}

/** Lists say what they hold: OpenAI refuses a list that does not. */
export function withItems(schema: JsonSchema): JsonSchema {
  return changeParts(schema, (part) => (takesList(part) && part.items === undefined ? { ...part, items: {} } : part));
}

function takesList({ type }: JsonSchema): boolean {
  return [type ?? []].flat().includes('array');
}

/** A copy in which every schema is changed, from the inside out. Data stays. */
function changeParts(schema: JsonSchema, change: (part: JsonSchema) => JsonSchema): JsonSchema {
  const part = (value: unknown): unknown => (isSchema(value) ? changeParts(value, change) : value);
  const changed = Object.entries(schema).map(([keyword, value]: [string, unknown]): [string, unknown] => {
    if (keyword === 'properties' || keyword === '$defs' || keyword === 'patternProperties' || keyword === 'dependentSchemas')
      return [keyword, isSchema(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, part(one)])) : value];
    if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf' || keyword === 'prefixItems')
      return [keyword, Array.isArray(value) ? value.map(part) : value];
    return [keyword, keyword === 'default' || keyword === 'const' || keyword === 'enum' || keyword === 'examples' ? value : part(value)];
  });
  return change(Object.fromEntries(changed));
}

/** Anthropic's rule for the names of parameters. */
const parameterName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The parameters without those whose names Anthropic refuses, and those names. */
export function withLegalNames(schema: JsonSchema): { readonly schema: JsonSchema; readonly left: readonly string[] } {
  const left = new Set<string>();
  const legal = changeParts(schema, (part) => {
    const { properties, required } = part;
    if (!properties) return part;
    const illegal = Object.keys(properties).filter((name) => !parameterName.test(name));
    if (illegal.length === 0) return part;
    for (const name of illegal) left.add(name);
    const kept = Object.fromEntries(Object.entries(properties).filter(([name]) => !illegal.includes(name)));
    return { ...part, properties: kept, ...(required && { required: required.filter((name) => !illegal.includes(name)) }) };
  });
  return { schema: legal, left: [...left] };
}
