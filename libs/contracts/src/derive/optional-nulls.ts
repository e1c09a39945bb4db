import type { JsonSchema } from './json-schema.js';
import { takesNull } from './strict-schema.js';

/**
 * Strict mode of some providers has no absent parameters: a model says null where it says nothing. A null in the place of
 * an optional value that is never null counts as absent (C-16). What is left is for validation to judge.
 */
export function withoutOptionalNulls(schema: JsonSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => withoutOptionalNulls(items, item)) : value;
  }
  const { properties = {}, required = [] } = schema;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!property) return [[name, item]];
      if (item === null && !required.includes(name) && !takesNull(property)) return [];
      return [[name, withoutOptionalNulls(property, item)]];
    }),
  );
}
