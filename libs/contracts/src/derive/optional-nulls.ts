import { memoized } from '../memoized.js';
import type { JsonSchema } from './json-schema.js';
import { definitionOf, isSchema } from './references.js';
import { takesNull } from './strict-schema.js';

/**
 * The value without nulls that stand for nothing. Strict mode of some providers has no absent parameters, so a model says null where it
 * says nothing: a null in the place of an optional value that is never null counts as absent (C-16). Any other null is left for
 * validation to judge.
 *
 * Objects of the result have no prototype. Zod reads properties without asking whose they are, so in an ordinary object a parameter
 * called `constructor` would always be there.
 */
export function withoutOptionalNulls(schema: JsonSchema, value: unknown, root: JsonSchema = schema): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const target = typeof schema['$ref'] === 'string' ? definitionOf(root, schema['$ref']) : undefined;
  // A definition that is only another reference may lead back here.
  if (isSchema(target) && target['$ref'] === undefined) return withoutOptionalNulls(target, value, root);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => withoutOptionalNulls(items, item, root)) : value;
  }
  const { properties = {} } = schema;
  const optional = optionalOf(schema);
  const kept: Record<string, unknown> = Object.create(null);
  for (const [name, item] of Object.entries(value)) {
    if (item === null && optional.has(name)) continue;
    const property = typeof item === 'object' && Object.hasOwn(properties, name) ? properties[name] : undefined;
    kept[name] = property ? withoutOptionalNulls(property, item, root) : item;
  }
  return kept;
}

const optionals = new WeakMap<JsonSchema, ReadonlySet<string>>();

/** The properties that may be absent and are never null. */
function optionalOf(schema: JsonSchema): ReadonlySet<string> {
  return memoized(optionals, schema, () => {
    const { properties = {}, required = [] } = schema;
    return new Set(Object.keys(properties).filter((name) => !required.includes(name) && !takesNull(properties[name] ?? {})));
  });
}
