import type { JsonSchema } from './json-schema.js';
import { isSchema } from './references.js';
import { dataKeywords, mapKeywords } from './without-keywords.js';

interface Place {
  /** The address under which the definitions are found, such as `#/components/schemas/`. */
  readonly at: string;
  /** Their names there. */
  readonly nameOf: (name: string) => string;
  /** The name of the schema itself, for references to `#`. */
  readonly self: string;
}

const own = '#/$defs/';

/**
 * The schema without its definitions, whose references lead to them in another place of another document. A schema that stands within a
 * document keeps no references to its own root: they would lead to the root of the document.
 */
export function placeDefinitions(
  { $defs, ...schema }: JsonSchema,
  { at, nameOf, self }: Place,
): { readonly schema: JsonSchema; readonly definitions: Readonly<Record<string, JsonSchema>> } {
  let refersToSelf = false;
  const placed = (ref: string): string => {
    if (ref === '#') refersToSelf = true;
    if (ref === '#') return at + self;
    return ref.startsWith(own) ? at + nameOf(ref.slice(own.length)) : ref;
  };
  const moved = referring(schema, placed);
  const entries = Object.entries(isSchema($defs) ? $defs : {});
  const definitions = Object.fromEntries(
    entries.map(([name, part]): [string, JsonSchema] => [nameOf(name), isSchema(part) ? referring(part, placed) : {}]),
  );
  return refersToSelf ? { schema: { $ref: at + self }, definitions: { ...definitions, [self]: moved } } : { schema: moved, definitions };
}

/** A copy whose references are replaced. Data and names that look like keywords stay. */
function referring(schema: object, placed: (ref: string) => string): Record<string, unknown> {
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part);
    return isSchema(value) ? referring(value, placed) : value;
  };
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]: [string, unknown]) => {
      if (keyword === '$ref' && typeof value === 'string') return [keyword, placed(value)];
      if (dataKeywords.has(keyword)) return [keyword, value];
      if (!mapKeywords.has(keyword) || !isSchema(value)) return [keyword, part(value)];
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, part(one)]))];
    }),
  );
}
