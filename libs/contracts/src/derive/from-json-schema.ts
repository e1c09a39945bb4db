// JSON Schemas that others wrote, as Zod schemas, so that what they describe is checked like everything else.
import { z } from 'zod';
import { endlessReference, partsOf, type ForeignSchema } from './references.js';
import { toJsonSchema } from './json-schema.js';
import { withoutKeywords } from './without-keywords.js';

/** References to references multiply: twenty definitions of two references each would be a million parts. */
const mostParts = 20_000;

/**
 * The schema of an object. Throws an Error that names the keyword for what Zod or JSON Schema cannot express (conditions, references to
 * other places), and for a schema of something else than an object.
 */
export function objectFromJsonSchema(schema: ForeignSchema): z.ZodObject {
  const loop = endlessReference(schema);
  if (loop !== null) throw new Error(`$ref '${loop}' leads back to itself without a field between`);
  if (partsOf(schema) > mostParts) throw new Error(`with its references in place it must have at most ${mostParts} parts`);
  const converted = z.fromJSONSchema(readable(schema));
  toJsonSchema(converted, 'input');
  if (!(converted instanceof z.ZodObject)) throw new Error('it must be that of an object');
  return converted;
}

/**
 * The schema without regular expressions: one written by a stranger could keep a process busy for minutes. Who wrote it checks its
 * patterns itself. `$schema` stays only where draft 7 says `definitions`, because that decides how references are read. A title or
 * description that is no text goes too: what is made of a schema takes them for texts, and so do the providers of models.
 */
function readable(schema: ForeignSchema): Record<string, unknown> {
  const isDraft7 = !('$defs' in schema) && 'definitions' in schema;
  const isDropped = (keyword: string, value: unknown): boolean =>
    keyword === 'pattern' ||
    keyword === 'patternProperties' ||
    (keyword === '$schema' && !isDraft7) ||
    ((keyword === 'title' || keyword === 'description') && typeof value !== 'string');
  return withoutKeywords(schema, isDropped);
}
