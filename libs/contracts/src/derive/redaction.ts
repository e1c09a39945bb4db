import type { z } from 'zod';
import type { Mark } from '../marks.js';
import { memoized } from '../memoized.js';
import { toMarkedJsonSchema, type JsonSchema } from './json-schema.js';

/** The path to marked values: property names, with `*` for every item of a list or every key of a map. */
export type MarkedPath = readonly string[];
type Side = 'input' | 'output';

const found = new WeakMap<z.ZodType, Map<string, readonly MarkedPath[]>>();

/** The paths of all fields of a schema that have one of the marks, without repetition. */
export function markedPaths(schema: z.ZodType, side: Side, marks: readonly Mark[]): readonly MarkedPath[] {
  const bySide = found.get(schema) ?? new Map<string, readonly MarkedPath[]>();
  found.set(schema, bySide);
  const key = `${side}:${marks.join()}`;
  const known = bySide.get(key);
  if (known) return known;
  const paths = new Map<string, MarkedPath>();
  walk(toMarkedJsonSchema(schema, side), [], { marks, add: (path) => paths.set(path.join('\0'), path) });
  const unique = [...paths.values()];
  bySide.set(key, unique);
  return unique;
}

const mask = '[redacted]';
const shownLength = 200;

type Show = (value: unknown) => unknown;

const shown = { input: new WeakMap<z.ZodType, Show>(), output: new WeakMap<z.ZodType, Show>() };
const whole = new WeakMap<z.ZodType, Show>();

/**
 * A copy of a value that logs and boards may show. Marked fields, fields that the schema does not declare, those that are called
 * `authorization`, and values of another type than declared are replaced by `[redacted]`. Texts and keys are cut after 200 characters.
 */
export function redact(schema: z.ZodType, side: Side, value: unknown): unknown {
  return memoized(shown[side], schema, () => showBy([toMarkedJsonSchema(schema, side)], shownLength))(value);
}

/** The same of parameters for a person who has to judge them: nothing is cut. */
export function redactWhole(schema: z.ZodType, input: unknown): unknown {
  return memoized(whole, schema, () => showBy([toMarkedJsonSchema(schema, 'input')], Number.POSITIVE_INFINITY))(input);
}

/** How a value of these alternatives is shown: looked up in the schema once, and not for every value. */
function showBy(schemas: readonly JsonSchema[], most: number): Show {
  const branches = schemas.flatMap(branchesOf);
  if (branches.some((branch) => branch.sensitive || branch.secret)) return masked;
  const items = branches.flatMap((branch) => [...(branch.items ? [branch.items] : []), ...(branch.prefixItems ?? [])]);
  const showItem = items.length > 0 ? later(() => showBy(items, most)) : null;
  const takesObject = branches.some(({ properties, additionalProperties }) => properties || typeof additionalProperties === 'object');
  const showEntry = takesObject ? entriesBy(branches, most) : null;
  const showsScalar = branches.some((branch) => takesScalar(branch));
  return (value) => {
    if (value === null || value === undefined) return value;
    if (Array.isArray(value)) return showItem ? value.map((item) => showItem(item)) : mask;
    if (typeof value === 'object')
      return showEntry ? Object.fromEntries(Object.entries(value).map(([key, item]) => [cut(key, most), showEntry(key, item)])) : mask;
    if (!showsScalar) return mask;
    return typeof value === 'string' && value.length > most ? `${cut(value, most)}…` : value;
  };
}

function entriesBy(branches: readonly JsonSchema[], most: number): (key: string, value: unknown) => unknown {
  const names = new Set(branches.flatMap(({ properties = {} }) => Object.keys(properties)));
  const byName = new Map([...names].map((name) => [name, later(() => showBy(schemasOf(branches, name), most))]));
  const showOther = later(() => showBy(schemasOf(branches, null), most));
  byName.set('authorization', masked);
  return (key, value) => (byName.get(key) ?? showOther)(value);
}

function masked(value: unknown): unknown {
  return value === null || value === undefined ? value : mask;
}

/** Made when it is first used. */
function later(make: () => Show): Show {
  let made: Show | null = null;
  return (value) => (made ??= make())(value);
}

/** The beginning of a text, never with half a character: log stores refuse those. */
function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}

/** A schema with all its alternatives. A mark on the schema counts for each of them. */
function branchesOf(schema: JsonSchema): JsonSchema[] {
  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return [schema, ...options.flatMap(branchesOf)];
}

/** What these alternatives say of a field. @param name null for a field that none of them names */
function schemasOf(branches: readonly JsonSchema[], name: string | null): readonly JsonSchema[] {
  return branches.flatMap(({ properties, additionalProperties }) => {
    const declared = name !== null && properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (declared) return [declared];
    return typeof additionalProperties === 'object' ? [additionalProperties] : [];
  });
}

function takesScalar({ type, enum: values, const: constant }: JsonSchema): boolean {
  const types = [type ?? []].flat();
  return types.some((one) => one !== 'object' && one !== 'array') || values !== undefined || constant !== undefined;
}

/** A copy in which the values at the given paths are replaced. Absent and null values stay as they are. */
export function replaceAt(value: unknown, paths: readonly MarkedPath[], replace: (value: unknown, path: string) => unknown): unknown {
  return paths.reduce((copy, path) => replaceOne(copy, path, { replace, at: '' }), value);
}

function replaceOne(
  value: unknown,
  [step, ...rest]: MarkedPath,
  context: { replace: (value: unknown, path: string) => unknown; at: string },
): unknown {
  if (value === undefined || value === null) return value;
  if (step === undefined) return context.replace(value, context.at);
  if (typeof value !== 'object') return value;
  const next = (key: string, item: unknown) => replaceOne(item, rest, { ...context, at: context.at ? `${context.at}.${key}` : key });
  if (Array.isArray(value)) return step === '*' ? value.map((item, index) => next(String(index), item)) : value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, step === '*' || step === key ? next(key, item) : item]));
}

function walk(schema: JsonSchema, path: MarkedPath, out: { marks: readonly Mark[]; add: (path: MarkedPath) => void }): void {
  if (out.marks.some((mark) => schema[mark] === true)) out.add(path);
  for (const [name, property] of Object.entries(schema.properties ?? {})) walk(property, [...path, name], out);
  if (schema.items) walk(schema.items, [...path, '*'], out);
  if (typeof schema.additionalProperties === 'object') walk(schema.additionalProperties, [...path, '*'], out);
  for (const item of schema.prefixItems ?? []) walk(item, [...path, '*'], out);
  for (const option of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) walk(option, path, out);
}
