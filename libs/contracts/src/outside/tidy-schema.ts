// JSON Schemas of strangers, of any draft and however careless, as schemas of 2020-12 that every reader takes.
import { endlessReference, isSchema, type ForeignSchema } from '../derive/references.js';
import type { JsonSchema } from '../derive/json-schema.js';
import { mostLevels, SchemaPlaces } from './schema-places.js';

const types: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const longestPattern = 1_000;
/** Those of 2020-12 and of OpenAPI. Strict readers refuse the whole schema for any other, so it is told in words. */
const formats: ReadonlySet<string> = new Set(
  [
    'date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference uri-template uuid',
    'json-pointer relative-json-pointer regex int32 int64 float double password byte binary',
  ].flatMap((line) => line.split(' ')),
);

/** What a keyword may hold. What holds something else is left out: it means nothing, and readers trip over it. */
const isOfKeyword: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...forAll(['title', 'description', 'format', 'contentEncoding', 'contentMediaType'], (value) => typeof value === 'string'),
  ...forAll(['deprecated', 'readOnly', 'writeOnly', 'uniqueItems'], (value) => typeof value === 'boolean'),
  ...forAll(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], Number.isFinite),
  ...forAll(
    ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'minContains', 'maxContains'],
    (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  ),
  ...forAll(['default', 'const'], () => true),
  multipleOf: (value) => Number.isFinite(value) && Number(value) > 0,
  examples: Array.isArray,
  pattern: isPattern,
};
const ofSchema = 'not if then else contains propertyNames contentSchema additionalProperties unevaluatedProperties unevaluatedItems'.split(
  ' ',
);
const ofSchemas: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const ofNamedSchemas: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas'];

export interface TidySchema {
  /** References lead to `#/$defs/<name>` only, and all of them lead somewhere. */
  readonly schema: JsonSchema;
  /** What could not be kept, for the administrator. */
  readonly notes: readonly string[];
}

/** The same schema in the words of 2020-12. Never throws: what cannot be read is left out, and told. */
export function tidySchema(given: ForeignSchema): TidySchema {
  const tidying = new Tidying(given);
  const schema = tidying.whole();
  return { schema, notes: [...tidying.notes] };
}

class Tidying {
  readonly notes = new Set<string>();
  readonly #root: ForeignSchema;
  readonly #places: SchemaPlaces;
  /** The names of what references lead to. */
  readonly #names = new Map<unknown, string>();
  readonly #waiting: [name: string, part: unknown][] = [];

  constructor(root: ForeignSchema) {
    this.#root = root;
    this.#places = new SchemaPlaces(root);
  }

  whole(): JsonSchema {
    let schema = this.#part(this.#root, 0);
    const defs: Record<string, JsonSchema> = {};
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) defs[next[0]] = this.#part(next[1], 1);
    for (let loop = loopIn(defs); loop !== null; loop = loopIn(defs)) {
      defs[loop] = {};
      this.notes.add(`its definition '${loop}' leads back to itself without a field between`);
    }
    for (let hops = 0; hops <= mostLevels && typeof schema['$ref'] === 'string'; hops++) {
      const { $ref: ref, ...rest } = schema;
      schema = { ...defs[String(ref).slice('#/$defs/'.length)], ...rest };
    }
    return Object.keys(defs).length > 0 ? { ...schema, $defs: defs } : schema;
  }

  #part(given: unknown, level: number): JsonSchema {
    if (given === false) return { not: {} };
    if (!isSchema(given)) return {};
    if (level > mostLevels) {
      this.notes.add(`what lies deeper than ${mostLevels} levels is left out`);
      return {};
    }
    const tidy: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(given)) {
      const next = (part: unknown): JsonSchema => this.#part(part, level + 1);
      if (Object.hasOwn(isOfKeyword, keyword)) {
        if (isOfKeyword[keyword]?.(value)) tidy[keyword] = value;
      } else if (ofSchema.includes(keyword) && (isSchema(value) || typeof value === 'boolean'))
        tidy[keyword] = typeof value === 'boolean' ? value : next(value);
      else if (ofSchemas.includes(keyword) && Array.isArray(value) && value.length > 0) tidy[keyword] = value.map(next);
      else if (ofNamedSchemas.includes(keyword) && isSchema(value)) tidy[keyword] = named(value, keyword, next);
    }
    Object.assign(
      tidy,
      this.#typeOf(given),
      requiredOf(given),
      itemsOf(given, (part) => this.#part(part, level + 1)),
    );
    Object.assign(
      tidy,
      dependenciesOf(given, (part) => this.#part(part, level + 1)),
      this.#referenceOf(given),
    );
    const { format } = tidy;
    if (typeof format === 'string' && !formats.has(format)) {
      delete tidy['format'];
      tidy['description'] = [tidy['description'], `Format: ${format.slice(0, 40)}.`].filter(Boolean).join(' ');
    }
    for (const [bound, exclusive] of [
      ['minimum', 'exclusiveMinimum'],
      ['maximum', 'exclusiveMaximum'],
    ] as const) {
      // Draft 4 says with a boolean that the bound itself is out.
      if (given[exclusive] !== true || tidy[bound] === undefined) continue;
      tidy[exclusive] = tidy[bound];
      delete tidy[bound];
    }
    return tidy;
  }

  #typeOf(given: ForeignSchema): JsonSchema {
    const named: readonly unknown[] = [given['type'] ?? []].flat();
    const known = [...new Set(named.filter((type): type is string => typeof type === 'string' && types.includes(type)))];
    // Whatever stands there is JSON: an object in it may have a `toString` of its own.
    const others = named.map((type) => (typeof type === 'string' ? type : JSON.stringify(type))).filter((type) => !types.includes(type));
    for (const type of others) this.notes.add(`'${type.slice(0, 40)}' is no type`);
    const isNullable = given['nullable'] === true && known.length > 0 && !known.includes('null');
    const all = isNullable ? [...known, 'null'] : known;
    const values: readonly unknown[] = Array.isArray(given['enum']) ? distinct(given['enum']) : [];
    const [only] = all;
    return {
      ...(all.length > 0 && known.length === named.length && { type: all.length === 1 && only !== undefined ? only : all }),
      ...(values.length > 0 && { enum: isNullable && !values.includes(null) ? [...values, null] : values }),
    };
  }

  #referenceOf(given: ForeignSchema): JsonSchema {
    const ref = given['$ref'] ?? given['$dynamicRef'] ?? given['$recursiveRef'];
    if (typeof ref !== 'string') return {};
    const target = this.#places.find(ref);
    if (isSchema(target)) return { $ref: `#/$defs/${this.#nameOf(target, ref)}` };
    if (typeof target !== 'boolean') this.notes.add(`its $ref '${ref.slice(0, 80)}' leads nowhere here`);
    return target === false ? { not: {} } : {};
  }

  #nameOf(target: ForeignSchema, ref: string): string {
    const known = this.#names.get(target);
    if (known !== undefined) return known;
    const wanted = (target === this.#root ? 'root' : (/[^/#]+$/.exec(ref)?.[0] ?? 'part')).replaceAll(/[^\w-]+/g, '_').slice(0, 40);
    const taken = new Set(this.#names.values());
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
    this.#names.set(target, name);
    this.#waiting.push([name, target]);
    return name;
  }
}

function loopIn(defs: Readonly<Record<string, JsonSchema>>): string | null {
  return endlessReference({ $defs: defs })?.slice('#/$defs/'.length) ?? null;
}

function forAll(keywords: readonly string[], rule: (value: unknown) => boolean): Record<string, (value: unknown) => boolean> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, rule]));
}

/** Whether readers that compile it, as they do by the letter of the standard, can do so. */
function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > longestPattern) return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function named(schemas: ForeignSchema, keyword: string, next: (part: unknown) => JsonSchema): Record<string, JsonSchema> {
  const entries = Object.entries(schemas).filter(([name]) => keyword !== 'patternProperties' || isPattern(name));
  return Object.fromEntries(entries.map(([name, part]) => [name, next(part)]));
}

/** Draft 3 says at a property that it is required. */
function requiredOf({ required, properties }: ForeignSchema): JsonSchema {
  const said = Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
  const atProperty = Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, part]) =>
    isSchema(part) && part['required'] === true ? [name] : [],
  );
  const all = [...new Set([...said, ...atProperty])];
  return all.length > 0 ? { required: all } : {};
}

/** Up to draft 7 a list of schemas under `items` is what `prefixItems` is now. */
function itemsOf({ items, additionalItems, prefixItems }: ForeignSchema, next: (part: unknown) => JsonSchema): JsonSchema {
  if (!Array.isArray(items)) return isSchema(items) || items === false ? { items: next(items) } : {};
  const isRest = isSchema(additionalItems) || additionalItems === false;
  return {
    ...(items.length > 0 && !Array.isArray(prefixItems) && { prefixItems: items.map(next) }),
    ...(isRest && { items: next(additionalItems) }),
  };
}

/** `dependencies` of draft 7 are two keywords now. */
function dependenciesOf({ dependencies, dependentRequired }: ForeignSchema, next: (part: unknown) => JsonSchema): JsonSchema {
  const entries = Object.entries({ ...(isSchema(dependencies) && dependencies), ...(isSchema(dependentRequired) && dependentRequired) });
  const names = entries.filter(([, names]) => Array.isArray(names) && names.every((name) => typeof name === 'string'));
  const schemas = entries.filter(([, part]) => isSchema(part));
  return {
    ...(names.length > 0 && { dependentRequired: Object.fromEntries(names) }),
    ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas.map(([name, part]) => [name, next(part)])) }),
  };
}

/** Readers refuse a value that a list has twice. */
function distinct(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
