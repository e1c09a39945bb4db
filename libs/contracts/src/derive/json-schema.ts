import { z } from 'zod';
import { privateKeywords } from '../marks.js';
import { memoized } from '../memoized.js';
import { withoutKeywords } from './without-keywords.js';

/** The part of JSON Schema 2020-12 that our contracts use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly sensitive?: boolean;
  readonly secret?: boolean;
  readonly [keyword: string]: unknown;
}

type Side = 'input' | 'output';
const marked = { input: new WeakMap<z.ZodType, JsonSchema>(), output: new WeakMap<z.ZodType, JsonSchema>() };
const published = { input: new WeakMap<z.ZodType, JsonSchema>(), output: new WeakMap<z.ZodType, JsonSchema>() };

/**
 * Makes a JSON Schema the one of a Zod schema, on both sides. What somebody else wrote may say more than Zod can: it is published as it
 * was written, and checked as far as Zod goes. Marks of the Zod schema as a whole stay.
 */
export function publishAs<Schema extends z.ZodType>(schema: Schema, as: JsonSchema): Schema {
  const meta = z.globalRegistry.get(schema) ?? {};
  const marks = Object.fromEntries(Object.entries(meta).filter(([keyword]) => isPrivate(keyword)));
  for (const side of ['input', 'output'] as const) {
    published[side].set(schema, as);
    marked[side].set(schema, { ...as, ...marks });
  }
  return schema;
}

/** The published JSON Schema of a Zod schema, without our marks. Throws for a type that JSON Schema cannot express. */
export function toJsonSchema(schema: z.ZodType, side: Side): JsonSchema {
  return memoized(published[side], schema, () => withoutMarks(toMarkedJsonSchema(schema, side)));
}

/** The same schema with our marks `sensitive` and `secret`, for redaction and sealing. */
export function toMarkedJsonSchema(schema: z.ZodType, side: Side): JsonSchema {
  return memoized(marked[side], schema, () => {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, {
      io: side,
      unrepresentable: 'throw',
      reused: 'inline',
      override: tidyIntegers,
    });
    const plain: JsonSchema = JSON.parse(JSON.stringify(rest));
    return plain;
  });
}

/** Zod gives every integer the bounds ±2^53. They are the limits of the number type and tell a reader nothing. */
function tidyIntegers({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function withoutMarks(schema: JsonSchema): JsonSchema {
  return withoutKeywords(schema, (keyword, value) => isPrivate(keyword) && value === true);
}

function isPrivate(key: string): boolean {
  return privateKeywords.some((keyword) => keyword === key);
}
