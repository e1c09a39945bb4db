import { isJsonObject } from '../json-in.js';
/** A JSON Schema that somebody else wrote: nothing of it is known. */
export type ForeignSchema = Readonly<Record<string, unknown>>;

/** Keywords whose schemas look at the same place of a value. */
export const combining: readonly string[] = ['allOf', 'anyOf', 'oneOf'];

/** Keywords that hold definitions. */
const holders: readonly string[] = ['$defs', 'definitions'];

/**
 * The first reference that leads back to itself without going into a field or an item: checking a value against it never ends. Null where
 * there is none.
 */
export function endlessReference(schema: ForeignSchema): string | null {
  const ending = new Set<string>();
  const endless = (ref: string, open: ReadonlySet<string>): string | null => {
    if (ending.has(ref)) return null;
    if (open.has(ref)) return ref;
    for (const next of referencesOf(definitionOf(schema, ref))) {
      const found = endless(next, new Set([...open, ref]));
      if (found !== null) return found;
    }
    ending.add(ref);
    return null;
  };
  for (const ref of ['#', ...holders.flatMap((holder) => namesOf(schema, holder))]) {
    const found = endless(ref, new Set());
    if (found !== null) return found;
  }
  return null;
}

/** The parts of a schema with what its references lead to in their places, as it is published; one that leads into itself counts once. */
export function partsOf(schema: ForeignSchema): number {
  const known = new Map<string, number>();
  const count = (part: unknown, open: ReadonlySet<string>): number => {
    if (typeof part !== 'object' || part === null) return 1;
    const { $ref: ref } = isSchema(part) ? part : {};
    const values: readonly unknown[] = Object.values(part);
    return values.reduce<number>((sum, value) => sum + count(value, open), typeof ref === 'string' ? referred(ref, open) : 1);
  };
  const referred = (ref: string, open: ReadonlySet<string>): number => {
    if (open.has(ref)) return 1;
    const parts = known.get(ref) ?? count(definitionOf(schema, ref), new Set([...open, ref]));
    known.set(ref, parts);
    return parts;
  };
  const { $defs: _, definitions: __, ...rest } = schema;
  return count(rest, new Set(['#']));
}

/** The references that a value meets at once, beside what the schema says itself. */
function referencesOf(schema: unknown): readonly string[] {
  if (!isSchema(schema)) return [];
  const parts = combining.flatMap((keyword) => schema[keyword]);
  return [...(typeof schema['$ref'] === 'string' ? [schema['$ref']] : []), ...parts.flatMap(referencesOf)];
}

function namesOf(schema: ForeignSchema, holder: string): readonly string[] {
  const named = schema[holder];
  return isSchema(named) ? Object.keys(named).map((name) => `#/${holder}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`) : [];
}

/** What a reference leads to; undefined where it leads nowhere. */
export function definitionOf(schema: ForeignSchema, ref: string): unknown {
  if (ref === '#' || ref === '#/') return schema;
  const [, holder = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)/.exec(ref) ?? [];
  const named = schema[holder];
  return isSchema(named) ? named[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
}

/** Whether it is an object: also other than a schema. */
export function isSchema(value: unknown): value is ForeignSchema {
  return isJsonObject(value);
}
