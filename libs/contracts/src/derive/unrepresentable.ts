// What of a Zod schema JSON Schema cannot say, field by field: Zod itself names the type alone, of the first one.
import { z } from 'zod';

export interface UnrepresentableField {
  /** Empty for the schema itself. */
  readonly path: string;
  readonly message: string;
}

/** Types without a form in JSON, and what to write instead. */
const wayOut: Readonly<Record<string, string>> = {
  date: 'z.date() has no form in JSON: write z.iso.datetime(), a text, and make a Date of it in the handler',
  bigint: 'z.bigint() has no form in JSON: write z.int(), or a text of digits',
  map: 'z.map() has no form in JSON: write z.record(z.string(), …), or an array of pairs',
  set: 'z.set() has no form in JSON: write z.array(…)',
  undefined: 'z.undefined() has no form in JSON: leave the field out, or write .optional()',
  void: 'z.void() has no form in JSON: leave the field out',
  symbol: 'z.symbol() has no form in JSON: write z.string()',
  nan: 'z.nan() has no form in JSON: write z.null()',
  function: 'a function has no form in JSON: leave the field out',
  file: 'z.file() has no form in JSON: write the text or the URL of the file',
  custom: 'z.custom() and z.instanceof() say nothing of their form: write the schema of the value',
  transform: 'a transform gives what no schema describes: write the form of the value, and change it in the handler',
};

/** Every field that has no form in JSON Schema, with a way out. Zod may refuse a schema for other reasons too. */
export function unrepresentableIn(schema: z.ZodType, io: 'input' | 'output'): readonly UnrepresentableField[] {
  const found: UnrepresentableField[] = [];
  z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, path }) => {
      const message = wayOut[zodSchema._zod.def.type];
      if (message !== undefined) found.push({ path: fieldOf(path), message });
    },
  });
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** `properties`, `items` and their like are the words of JSON Schema; what a user looks for is the field. */
function fieldOf(path: readonly (string | number)[]): string {
  let [field, isName] = ['', false];
  for (const part of path) {
    if (isName) field += field === '' ? String(part) : `.${part}`;
    else if (part === 'items') field += '[]';
    else if (part === 'additionalProperties') field += '.*';
    isName = !isName && part === 'properties';
  }
  return field;
}
