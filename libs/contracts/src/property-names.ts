import type { JsonSchema } from './derive/json-schema.js';

/**
 * A copy of a value whose property names are spelled as in the schema. Names may differ from it in case and underscores (C-65).
 * When two names mean the same property, the second one stays as it is, so validation refuses it as unexpected.
 */
export function normalizePropertyNames(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = branchesOf(schema).find((branch) => branch.items)?.items;
    return items ? value.map((item) => normalizePropertyNames(items, item)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const properties = branchesOf(schema).find((branch) => branch.properties)?.properties;
  if (!properties) return value;
  const known = new Map(Object.keys(properties).map((name) => [bare(name), name]));
  const taken = new Set(Object.keys(value));
  return Object.fromEntries(
    Object.entries(value).map(([given, item]) => {
      const wanted = Object.hasOwn(properties, given) ? given : known.get(bare(given));
      const name = wanted !== undefined && (wanted === given || !taken.has(wanted)) ? wanted : given;
      taken.add(name);
      const property = properties[name];
      return [name, property ? normalizePropertyNames(property, item) : item];
    }),
  );
}

function bare(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** The schema and its alternatives: a nullable object is `anyOf` the object and null. */
function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  return [schema, ...(schema.anyOf ?? [])];
}
