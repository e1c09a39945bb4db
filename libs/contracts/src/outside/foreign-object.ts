// The schema of an object that a stranger wrote: published whole, checked as far as it can be.
import { z } from 'zod';
import { withBoundedWork } from '../derive/bounded-work.js';
import type { JsonSchema } from '../derive/json-schema.js';
import { combining, isSchema, type ForeignSchema } from '../derive/references.js';
import { checkableObject, fits, zodObjectOf } from './checkable-schema.js';
import { tidySchema } from './tidy-schema.js';

interface Reading {
  /** Fields of ours, which the schema does not have. */
  readonly extra: z.ZodRawShape;
  /** Whether defaults stand in for what is absent. Those of an answer would be invented. */
  readonly defaults: boolean;
  /** Whether a field that the schema does not name is dropped where it leaves this open (C-16). */
  readonly strips: boolean;
}

export interface ForeignObject {
  readonly zod: z.ZodType<Record<string, unknown>>;
  /** Of 2020-12, without the extra fields. */
  readonly published: JsonSchema;
  /** What is not checked, or not kept, in words. */
  readonly notes: readonly string[];
}

/** Keywords that say more of which fields may stand together than Zod can. */
const conditions: readonly string[] = [
  ...combining,
  'if',
  'then',
  'else',
  'not',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'patternProperties',
  'propertyNames',
];

/** Reads the schema. Never throws: where it contradicts itself or cannot be expressed, values are passed on unchecked. */
export function foreignObject(given: ForeignSchema, reading: Reading): ForeignObject {
  const { schema, notes } = tidySchema(given);
  const { schema: checked, unchecked } = checkableObject(schema);
  const has = conditions.filter((keyword) => keyword in schema);
  const { defaults, misfits } = defaultsOf(schema, checked);
  const published = { ...schema, type: 'object', ...(misfits.length > 0 && { properties: withoutDefaults(schema, misfits) }) };
  const told = [
    ...notes,
    ...(unchecked.length > 0 ? [`passed on and not checked here: ${unchecked.join(', ')}`] : []),
    ...misfits.map((name) => `the default of '${name}' does not fit its own type and is not sent`),
  ];
  // A default beside a condition may be what the condition forbids.
  const filled = reading.defaults && has.length === 0 ? withDefaults(checked, defaults) : checked;
  const isOpen = 'additionalProperties' in schema || has.length > 0 || Object.keys(schema.properties ?? {}).length === 0;
  try {
    const own = zodObjectOf(filled);
    const shaped = reading.strips && !isOpen ? own.strip() : own;
    const zod = withBoundedWork(shaped.safeExtend(reading.extra), filled);
    const misfit = examplesOf(schema).find((example) => !zod.safeParse(example).success);
    if (misfit === undefined) return { zod, published, notes: told };
    told.push('its own example does not fit it: nothing is checked here');
  } catch (error) {
    told.push(`nothing is checked here: ${error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read'}`);
  }
  return { zod: z.looseObject(reading.extra), published, notes: told };
}

/** The defaults of the fields, and the names of those whose default their own schema does not allow. */
function defaultsOf(schema: JsonSchema, checked: JsonSchema): { defaults: ReadonlyMap<string, unknown>; misfits: readonly string[] } {
  const given = Object.entries(schema.properties ?? {}).filter(([, part]) => part.default !== undefined);
  const fitting = given.filter(([name, part]) => fitsSafely(checked, checked.properties?.[name] ?? {}, part.default));
  const defaults = new Map(fitting.map(([name, part]) => [name, part.default]));
  return { defaults, misfits: given.map(([name]) => name).filter((name) => !defaults.has(name)) };
}

function fitsSafely(root: JsonSchema, part: JsonSchema, value: unknown): boolean {
  try {
    return fits(root, part, value);
  } catch {
    return false;
  }
}

function withDefaults(checked: JsonSchema, defaults: ReadonlyMap<string, unknown>): JsonSchema {
  const { properties = {} } = checked;
  const filled = Object.entries(properties).map(([name, part]): [string, JsonSchema] => {
    if (!defaults.has(name)) return [name, part];
    return [name, { ...(isSchema(part) ? part : {}), default: defaults.get(name) }];
  });
  return { ...checked, properties: Object.fromEntries(filled) };
}

function withoutDefaults({ properties = {} }: JsonSchema, names: readonly string[]): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, part]) => {
      if (!names.includes(name)) return [name, part];
      const { default: _, ...rest } = part;
      return [name, rest];
    }),
  );
}

function examplesOf({ examples }: JsonSchema): readonly unknown[] {
  return Array.isArray(examples) ? examples.filter(isSchema) : [];
}
