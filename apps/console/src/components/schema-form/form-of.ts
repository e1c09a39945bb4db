// JSON Schema of a tool's parameters → the fields of a form. What the form cannot draw becomes a field for JSON, which says why.
import type { JsonSchema } from '#lib/contracts';

interface Common {
  readonly name: string;
  readonly path: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** What the gateway takes when the field is absent; undefined without a default. */
  readonly absent: unknown;
  /** Ranges and formats in a few words, such as `1–120`. */
  readonly limits: string;
}

export type FormField = Common &
  (
    | { readonly kind: 'text'; readonly isLong: boolean }
    | { readonly kind: 'number' | 'boolean' }
    | { readonly kind: 'choice'; readonly choices: readonly (string | number)[] }
    | { readonly kind: 'list'; readonly item: FormField }
    | { readonly kind: 'object'; readonly fields: readonly FormField[] }
    | { readonly kind: 'json'; readonly reason: string }
  );

type Json = Readonly<Record<string, unknown>>;

const longText = 200;
const known: readonly string[] = [
  '$schema',
  'type',
  'properties',
  'required',
  'additionalProperties',
  'description',
  'title',
  'default',
  'examples',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'anyOf',
];

/** The fields of an object schema, the required ones first. */
export function formOf(schema: JsonSchema): readonly FormField[] {
  return fieldsOf(schema, '');
}

function fieldsOf(schema: Json, path: string): readonly FormField[] {
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(objectOf(schema['properties'])).map(([name, property]) =>
    fieldOf(objectOf(property), { name, path: path === '' ? name : `${path}.${name}`, isRequired: required.includes(name) }),
  );
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)];
}

function fieldOf(schema: Json, place: Pick<Common, 'name' | 'path' | 'isRequired'>): FormField {
  const common: Common = {
    ...place,
    description: typeof schema['description'] === 'string' ? schema['description'] : '',
    absent: schema['default'],
    limits: limitsOf(schema),
  };
  const strange = Object.keys(schema).find((keyword) => !known.includes(keyword));
  if (strange !== undefined) return { ...common, kind: 'json', reason: strange };
  const choices = Array.isArray(schema['enum']) ? schema['enum'] : undefined;
  if (choices?.every((choice) => typeof choice === 'string' || typeof choice === 'number')) return { ...common, kind: 'choice', choices };
  if (Array.isArray(schema['anyOf'])) return ofAlternatives(schema['anyOf'].map(objectOf), common);
  switch (schema['type']) {
    case 'string':
      return { ...common, kind: 'text', isLong: isLong(schema) };
    case 'integer':
    case 'number':
      return { ...common, kind: 'number' };
    case 'boolean':
      return { ...common, kind: 'boolean' };
    case 'array':
      return { ...common, kind: 'list', item: fieldOf(objectOf(schema['items']), { name: '', path: `${place.path}.*`, isRequired: true }) };
    case 'object':
      return schema['properties'] === undefined
        ? { ...common, kind: 'json', reason: 'additionalProperties' }
        : { ...common, kind: 'object', fields: fieldsOf(schema, place.path) };
    default:
      return { ...common, kind: 'json', reason: 'type' };
  }
}

/** Texts of several forms are one text; null beside one other type is that type, left out. */
function ofAlternatives(alternatives: readonly Json[], common: Common): FormField {
  const others = alternatives.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (only && others.length === 1) return { ...fieldOf(only, common), description: common.description, absent: common.absent };
  const isText = others.every((one) => one['type'] === 'string' || typeof one['const'] === 'string');
  return isText ? { ...common, kind: 'text', isLong: false } : { ...common, kind: 'json', reason: 'anyOf' };
}

function limitsOf(schema: Json): string {
  const range = (low: unknown, high: unknown, unit: string) => {
    const [from, to] = [low, high].map((bound) =>
      typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined,
    );
    if (from === undefined && to === undefined) return '';
    if (from === undefined) return `≤ ${to}${unit}`;
    return to === undefined ? `≥ ${from}${unit}` : `${from}–${to}${unit}`;
  };
  const parts = [
    range(schema['minimum'] ?? schema['exclusiveMinimum'], schema['maximum'] ?? schema['exclusiveMaximum'], ''),
    range(schema['minLength'], schema['maxLength'], ' chars'),
    range(schema['minItems'], schema['maxItems'], ' items'),
    typeof schema['format'] === 'string' ? schema['format'] : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function isLong({ maxLength, format }: Json): boolean {
  return format === undefined && typeof maxLength === 'number' && maxLength > longText;
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
