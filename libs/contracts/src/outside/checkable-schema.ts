import { z } from 'zod';
import { withBoundedWork } from '../derive/bounded-work.js';
import type { JsonSchema } from '../derive/json-schema.js';
import { combining, isSchema } from '../derive/references.js';

/** A schema of what Zod can check, and the keywords that it cannot, which only the server itself checks. */
export interface CheckableSchema {
  readonly schema: JsonSchema;
  readonly unchecked: readonly string[];
}

/** Keywords that mean the same here. `oneOf` is read as `anyOf`: what tells its branches apart may be what is not checked. */
const kept: ReadonlySet<string> = words(
  'type $ref required uniqueItems multipleOf minimum maximum exclusiveMinimum exclusiveMaximum',
  'minLength maxLength minItems maxItems minProperties maxProperties',
);
const ofOne: readonly string[] = ['items', 'additionalProperties'];
const ofSome: readonly string[] = ['allOf', 'anyOf', 'prefixItems'];
/** They tell a reader something, and allow and forbid nothing. */
const silent: ReadonlySet<string> = words(
  'title description default examples deprecated readOnly writeOnly format $defs',
  'contentEncoding contentMediaType contentSchema minContains maxContains',
);
/** Zod builds an object with one of these out of several parts, which takes no parameters of ours. */
const notAtTop: ReadonlySet<string> = new Set([...combining, 'minProperties', 'maxProperties']);

/**
 * What can be checked of a tidy schema of an object. Regular expressions are not: one written by a stranger could keep a process busy for
 * minutes. Formats are annotations in 2020-12, which every library reads in its own way.
 */
export function checkableObject(schema: JsonSchema): CheckableSchema {
  const unchecked = new Set<string>();
  const defs = Object.entries(isSchema(schema['$defs']) ? schema['$defs'] : {});
  const all = {
    ...checkable(schema, unchecked, true),
    type: 'object',
    ...(defs.length > 0 && { $defs: Object.fromEntries(defs.map(([name, part]) => [name, partOf(part, unchecked)])) }),
  };
  return { schema: all, unchecked: [...unchecked] };
}

/** As Zod: an object where the parts can be made so. Defaults that do not fit their own schema are left out, and named. */
export function zodObjectOf(schema: JsonSchema): z.ZodObject {
  const converted = z.fromJSONSchema(toZodInput(schema));
  if (converted instanceof z.ZodObject) return converted;
  throw new TypeError('it is not that of an object');
}

/** Whether a value fits a part of a checkable schema. */
export function fits(root: JsonSchema, part: JsonSchema, value: unknown): boolean {
  const checked = {
    type: 'object',
    properties: { value: part },
    required: ['value'],
    ...(root['$defs'] !== undefined && { $defs: root['$defs'] }),
  };
  return withBoundedWork(zodObjectOf(checked), checked).safeParse({ value }).success;
}

function toZodInput(schema: JsonSchema): Record<string, unknown> {
  return { ...schema };
}

function partOf(part: unknown, unchecked: Set<string>): JsonSchema | boolean {
  if (typeof part === 'boolean') return part;
  return isSchema(part) ? checkable(part, unchecked, false) : {};
}

function checkable(schema: JsonSchema, unchecked: Set<string>, isTop: boolean): JsonSchema {
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (silent.has(keyword)) continue;
    if (keyword === 'not' && isNothing(value)) return { not: {} };
    if (isTop && notAtTop.has(keyword)) unchecked.add(keyword);
    else if (kept.has(keyword)) result[keyword] = value;
    else if (keyword === 'enum' || keyword === 'const') {
      const values: readonly unknown[] = keyword === 'const' ? [value] : Array.isArray(value) ? value : [];
      // Zod compares objects and lists by identity.
      if (values.some((one) => typeof one === 'object' && one !== null)) unchecked.add(keyword);
      else result['enum'] = values;
    } else if (ofOne.includes(keyword)) result[keyword] = partOf(value, unchecked);
    else if (ofSome.includes(keyword) && Array.isArray(value)) result[keyword] = value.map((part: unknown) => partOf(part, unchecked));
    else if (keyword === 'oneOf' && Array.isArray(value)) {
      const branches = value.map((part: unknown) => partOf(part, unchecked));
      if (Array.isArray(schema['anyOf'])) unchecked.add(keyword);
      else result['anyOf'] = branches;
    } else if (keyword === 'properties' && isSchema(value))
      result[keyword] = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, partOf(part, unchecked)]));
    else unchecked.add(keyword);
  }
  // What patterns of names allow, `additionalProperties` would forbid.
  if ('patternProperties' in schema) delete result['additionalProperties'];
  return result;
}

function words(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

function isNothing(value: unknown): boolean {
  return isSchema(value) && Object.keys(value).length === 0;
}
