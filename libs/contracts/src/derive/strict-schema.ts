import type { JsonSchema } from './json-schema.js';

/**
 * What a provider's strict mode supports. An unsupported keyword is dropped when that only accepts more values; otherwise the schema has
 * no strict form.
 */
export interface StrictDialect {
  /** Supported keywords besides the structural ones. */
  readonly keywords: ReadonlySet<string>;
  /** Supported values of `format`. */
  readonly formats: ReadonlySet<string>;
  /** Whether a supported keyword may have this value. */
  readonly mayKeep: (keyword: string, value: unknown) => boolean;
  /** Every property is required; an optional one may be null instead (OpenAI). */
  readonly nullForAbsent: boolean;
}

const structure = ['type', 'description', 'enum', '$ref'] as const;

/**
 * The schema in a provider's strict subset. Null when the subset cannot express it: maps with free keys, tuples, intersections,
 * negation, and values of any type.
 */
export function toStrictSchema(schema: JsonSchema, dialect: StrictDialect): JsonSchema | null {
  try {
    return converted(schema, dialect);
  } catch (error) {
    if (error instanceof NotStrict) return null;
    throw error;
  }
}

class NotStrict extends Error {}

function converted(schema: JsonSchema, dialect: StrictDialect): JsonSchema {
  const options = schema.anyOf ?? schema.oneOf;
  if (schema.allOf || schema['not'] || schema.prefixItems || schema['patternProperties']) throw new NotStrict();
  if (!options && schema.type === undefined && schema.enum === undefined && schema.const === undefined && !schema['$ref'])
    throw new NotStrict();
  if (types(schema).includes('array') && !schema.items) throw new NotStrict();
  const defs = schemasIn(schema['$defs']);
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => isKept(keyword, value, dialect))),
    ...(schema.const !== undefined && { enum: [schema.const] }),
    ...(schema.default !== undefined && { description: `${schema.description ?? ''} Default ${JSON.stringify(schema.default)}.`.trim() }),
    ...(options && { anyOf: options.map((option) => converted(option, dialect)) }),
    ...(schema.items && { items: converted(schema.items, dialect) }),
    ...(types(schema).includes('object') && objectPart(schema, dialect)),
    ...(defs && { $defs: mapValues(defs, (part) => converted(part, dialect)) }),
  };
}

function objectPart({ properties = {}, required = [], additionalProperties }: JsonSchema, dialect: StrictDialect): JsonSchema {
  // A map with free keys: strict mode would forbid every key.
  if (additionalProperties !== false && (additionalProperties !== undefined || Object.keys(properties).length === 0)) throw new NotStrict();
  const all = mapValues(properties, (property, name) => {
    const plain = converted(property, dialect);
    return dialect.nullForAbsent && !required.includes(name) ? nullable(plain) : plain;
  });
  return {
    properties: all,
    required: dialect.nullForAbsent ? Object.keys(properties) : required.filter((name) => Object.hasOwn(properties, name)),
    additionalProperties: false,
  };
}

/** Whether the schema itself accepts null. */
export function takesNull(schema: JsonSchema): boolean {
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (values && !values.includes(null)) return false;
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.some(takesNull);
  return schema.type === undefined ? values !== undefined || !('$ref' in schema) : types(schema).includes('null');
}

function nullable(schema: JsonSchema): JsonSchema {
  if (takesNull(schema)) return schema;
  if (schema.anyOf) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  if (schema.type === undefined) {
    const { description, ...rest } = schema;
    return { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] };
  }
  return { ...schema, type: [...types(schema), 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) };
}

function isKept(keyword: string, value: unknown, dialect: StrictDialect): boolean {
  if (structure.some((one) => one === keyword)) return true;
  if (keyword === 'format') return typeof value === 'string' && dialect.formats.has(value);
  return dialect.keywords.has(keyword) && dialect.mayKeep(keyword, value);
}

function types({ type }: JsonSchema): readonly string[] {
  if (type === undefined) return [];
  return typeof type === 'string' ? [type] : type;
}

function schemasIn(value: unknown): Readonly<Record<string, JsonSchema>> | null {
  return typeof value === 'object' && value !== null ? { ...value } : null;
}

function mapValues(
  record: Readonly<Record<string, JsonSchema>>,
  change: (schema: JsonSchema, name: string) => JsonSchema,
): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(record).map(([name, schema]) => [name, change(schema, name)]));
}
