import type { JsonSchema } from './json-schema.js';
import { takesNull } from './strict-schema.js';

/**
 * The value without nulls that stand for nothing. Strict mode of some providers has no absent parameters, so a model says null where it
 * says nothing: a null in the place of an optional value that is never null counts as absent (C-16). Any other null is left for
 * validation to judge.
 *
 * Objects of the result have no prototype. Zod reads properties without asking whose they are, so in an ordinary object a parameter
 * called `constructor` would always be there.
 */
export function withoutOptionalNulls(schema: JsonSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => withoutOptionalNulls(items, item)) : value;
  }
  const { properties = {}, required = [] } = schema;
  const kept = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!property) return [[name, item]];
    if (item === null && !required.includes(name) && !takesNull(property)) return [];
    return [[name, withoutOptionalNulls(property, item)]];
  });
  return Object.setPrototypeOf(Object.fromEntries(kept), null);
}
