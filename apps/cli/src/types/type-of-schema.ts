// JSON Schema → TypeScript. Schemas of outside servers are written by strangers: no text of theirs can end a comment or a string.
import type { JsonSchema } from '#lib/contracts';

/** Steps in one schema. Past them everything is `unknown`: references can make a small schema as large as one likes. */
const maxSteps = 5_000;
const maxDepth = 40;

type Schema = JsonSchema | boolean;

/** The type of the values that a schema accepts, as far as types can say it. Nothing that it accepts is left out. */
export function typeOfSchema(schema: Schema): string {
  return new SchemaTypes(schema).typeOf(schema, { depth: 0, references: [] });
}

/** A comment with one line of text. */
export function commentOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().replaceAll('*/', '* /');
  return line === '' ? '' : `/** ${line} */\n`;
}

/** A name in an object type. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

interface Place {
  readonly depth: number;
  /** Those that led here. */
  readonly references: readonly string[];
}

class SchemaTypes {
  readonly #root: Schema;
  #steps = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  typeOf(schema: Schema, place: Place): string {
    if (schema === false) return 'never';
    if (schema === true || ++this.#steps > maxSteps || place.depth > maxDepth) return 'unknown';
    const below = { ...place, depth: place.depth + 1 };
    const { $ref: reference, enum: values, anyOf, oneOf, allOf } = schema;
    const parts = [
      typeof reference === 'string' ? this.#referenced(reference, below) : null,
      'const' in schema ? literal(schema.const) : null,
      values ? union(values.map(literal)) : null,
      ...[anyOf, oneOf].map((choices) => (choices ? union(choices.map((one) => this.typeOf(one, below))) : null)),
      ...(allOf ?? []).map((one) => this.typeOf(one, below)),
      // What enumerates its values needs no type beside them.
      'const' in schema || values ? null : this.#ofType(schema, below),
    ];
    const distinct = [...new Set(parts.flatMap((part) => (part === null || part === 'unknown' ? [] : [part])))];
    return distinct.length > 1 ? distinct.map(grouped).join(' & ') : (distinct[0] ?? 'unknown');
  }

  #ofType(schema: JsonSchema, place: Place): string | null {
    const types = schema.type === undefined ? (schema.properties ? ['object'] : []) : [schema.type].flat();
    if (types.length === 0) return null;
    return union(types.map((type) => this.#ofOneType(type, schema, place)));
  }

  #ofOneType(type: string, schema: JsonSchema, place: Place): string {
    switch (type) {
      case 'object':
        return this.#object(schema, place);
      case 'array':
        return this.#array(schema, place);
      case 'integer':
        return 'number';
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
        return type;
      default:
        return 'unknown';
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: JsonSchema, place: Place): string {
    const names = Object.keys(properties);
    const others = this.typeOf(additionalProperties ?? true, place);
    if (names.length === 0) return others === 'never' ? 'Record<string, never>' : `Record<string, ${others}>`;
    const lines = Object.entries(properties).map(([name, one]) => {
      const type = this.typeOf(one, place);
      const comment = typeof one === 'object' && one.description ? commentOf(one.description) : '';
      return `${comment}${propertyName(name)}${required.includes(name) ? `: ${type}` : `?: ${orUndefined(type)}`};`;
    });
    // An index signature has to fit the named properties too.
    const isOpen = additionalProperties !== undefined && additionalProperties !== false;
    return `{\n${indent([...lines, ...(isOpen ? ['[name: string]: unknown;'] : [])].join('\n'))}\n}`;
  }

  #array({ items, prefixItems }: JsonSchema, place: Place): string {
    const rest = this.typeOf(items ?? true, place);
    if (!prefixItems) return `readonly ${grouped(rest)}[]`;
    const first = prefixItems.map((one) => this.typeOf(one, place));
    return `readonly [${[...first, ...(rest === 'never' ? [] : [`...${grouped(rest)}[]`])].join(', ')}]`;
  }

  #referenced(reference: string, { depth, references }: Place): string {
    if (references.includes(reference)) return 'unknown';
    const target = reference === '#' ? this.#root : this.#definition(reference);
    return target === undefined ? 'unknown' : this.typeOf(target, { depth, references: [...references, reference] });
  }

  /** `#/$defs/x`, or `#/definitions/x` of older drafts. */
  #definition(reference: string): Schema | undefined {
    const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
    const definitions = typeof this.#root === 'object' ? this.#root[keyword] : undefined;
    if (typeof definitions !== 'object' || definitions === null) return undefined;
    return new Map<string, Schema>(Object.entries(definitions)).get(name.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)].filter((type) => type !== 'never');
  if (distinct.includes('unknown')) return 'unknown';
  return distinct.length > 1 ? distinct.map(grouped).join(' | ') : (distinct[0] ?? 'never');
}

/** In brackets where it stands beside an operator. */
function grouped(type: string): string {
  return / [|&] |^readonly /.test(type) && !isOneObject(type) ? `(${type})` : type;
}

function isOneObject(type: string): boolean {
  return type.startsWith('{\n') && type.indexOf('\n}') === type.length - 2;
}

function orUndefined(type: string): string {
  return type === 'unknown' ? type : `${type} | undefined`;
}

function literal(value: unknown): string {
  const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain ? JSON.stringify(value) : 'unknown';
}
