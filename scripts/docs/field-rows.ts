// The fields of a JSON Schema as rows of a table, those of nested objects too.
import type { JsonSchema } from '#lib/contracts';
import { code, plain } from './page.js';

export interface FieldRow {
  /** `items[].id` is the field of an object in a list. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly rules: readonly string[];
  readonly description: string;
}

const bounds = [
  ['minimum', '≥ '],
  ['exclusiveMinimum', '> '],
  ['maximum', '≤ '],
  ['exclusiveMaximum', '< '],
  ['minLength', 'characters ≥ '],
  ['maxLength', 'characters ≤ '],
  ['minItems', 'items ≥ '],
  ['maxItems', 'items ≤ '],
] as const;
/** Zod writes the safe integers as bounds. */
const isBound = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;

/** All fields, the fields of an object directly after it. */
export function fieldRows({ properties = {}, required = [] }: JsonSchema, prefix = ''): readonly FieldRow[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const [inner, innerPath] = innerObject(schema, path);
    const row = {
      path,
      type: typeOf(schema),
      isRequired: required.includes(name),
      rules: rulesOf(schema),
      description: schema.description ?? '',
    };
    return [row, ...(inner ? fieldRows(inner, `${innerPath}.`) : [])];
  });
}

/** The cells of a row: name, type, meaning. */
export function cellsOf({ path, type, rules, description }: FieldRow): readonly [string, string, string] {
  return [code(path), code(type), [plain(description), ...rules].filter(Boolean).join(' · ')];
}

function innerObject(schema: JsonSchema, path: string): readonly [JsonSchema | undefined, string] {
  if (schema.properties) return [schema, path];
  if (schema.items) return innerObject(schema.items, `${path}[]`);
  // Only one form of an object can be shown in a table; the whole is in the schema of the tool.
  const forms = (schema.anyOf ?? schema.oneOf ?? []).filter((one) => one.properties ?? one.items);
  return forms.length === 1 && forms[0] ? innerObject(forms[0], path) : [undefined, path];
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms) return [...new Set(forms.map(typeOf))].join(' | ');
  if (schema.items) {
    const item = typeOf(schema.items);
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  return [schema.type ?? 'any'].flat().join(' | ');
}

function rulesOf(schema: JsonSchema): readonly string[] {
  const rules = bounds.flatMap(([keyword, sign]) => (isBound(schema[keyword]) ? [`${sign}${String(schema[keyword])}`] : []));
  return [...rules, ...(schema.default === undefined ? [] : [`default ${code(JSON.stringify(schema.default))}`])];
}
