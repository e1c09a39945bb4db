import { z } from 'zod';
import { combining, definitionOf, isSchema, type ForeignSchema } from './references.js';

/** How often the places of a value may be looked at, all together. */
const freely = 20_000;
/** The same for each place of a value that has many. */
const onAverage = 16;

/**
 * The same schema, made of a JSON Schema that a stranger wrote, for values that do not take it too long. What is combined (`allOf`, `anyOf`,
 * `oneOf`) looks at a place several times, and with references that multiplies at each level of a value: one of twenty levels takes minutes.
 */
export function withBoundedWork(schema: z.ZodType<Record<string, unknown>>, source: ForeignSchema): z.ZodType<Record<string, unknown>> {
  if (!combines(source)) return schema;
  return z.preprocess((value, context) => {
    const most = Math.max(freely, onAverage * placesIn(value));
    if (lookings(source, value, most) > most) {
      const message = `is too much work to check: what the schema combines would look at it more than ${most} times; nest it less deeply`;
      context.addIssue({ code: 'custom', message, input: value });
    }
    return value;
  }, schema);
}

function combines(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(combines);
  return isSchema(part) && Object.entries(part).some(([keyword, value]) => combining.includes(keyword) || combines(value));
}

function placesIn(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.values(value).reduce((sum: number, part) => sum + placesIn(part), 1) : 1;
}

/** How often places of a value are looked at. Infinity once it is more than `most`. */
function lookings(root: ForeignSchema, given: unknown, most: number): number {
  const known = new Map<ForeignSchema, Map<unknown, number>>();
  const count = (schema: unknown, value: unknown): number => {
    if (!isSchema(schema)) return 1;
    const ofSchema = known.get(schema) ?? new Map<unknown, number>();
    known.set(schema, ofSchema);
    const before = ofSchema.get(value);
    if (before !== undefined) return before;
    let sum = 1;
    for (const [next, part] of lookedAtNext(root, schema, value)) {
      sum += count(next, part);
      if (sum > most) return Infinity;
    }
    ofSchema.set(value, sum);
    return sum;
  };
  return count(root, given);
}

/** The schemas that a schema leads to at a value, each with the part of the value that it looks at. */
function* lookedAtNext(root: ForeignSchema, schema: ForeignSchema, value: unknown): Generator<readonly [unknown, unknown]> {
  if (typeof schema['$ref'] === 'string') yield [definitionOf(root, schema['$ref']), value];
  for (const keyword of combining) for (const part of [schema[keyword] ?? []].flat()) yield [part, value];
  const { properties, additionalProperties, items, prefixItems, additionalItems } = schema;
  if (Array.isArray(value)) {
    const places: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? additionalItems : items;
    for (const [index, item] of value.entries()) yield [places[index] ?? rest, item];
  } else if (isSchema(value)) {
    const named = isSchema(properties) ? properties : {};
    for (const [name, part] of Object.entries(value)) yield [Object.hasOwn(named, name) ? named[name] : additionalProperties, part];
  }
}
