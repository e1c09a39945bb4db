// Compares two versions of a tool and decides for each change whether it breaks callers of the older one (TU-74, TU-75, C-30).
import type { JsonSchema } from './json-schema.js';

/** The part of a definition that callers rely on. It is stored for every published version, and compared with the next one. */
export interface ContractShape {
  readonly name: string;
  readonly version: string;
  readonly parameters: JsonSchema;
  readonly output_schema: JsonSchema;
  readonly errors: Readonly<Record<string, string>>;
}

export interface ContractChange {
  /** True when a call that was correct for the older version may fail with the newer one. */
  readonly breaking: boolean;
  /** Where the change is, such as `parameters.unit` or `output.days[].t`. */
  readonly path: string;
  readonly message: string;
}

/** Which side of a call changed. Callers write parameters and read answers, so the same change can break one side only. */
type Side = 'parameters' | 'output_schema';

/** All changes between two versions, breaking ones first. */
export function compareContracts(older: ContractShape, newer: ContractShape): readonly ContractChange[] {
  const changes = [
    ...compareSchemas(older.parameters, newer.parameters, { side: 'parameters', path: 'parameters' }),
    ...compareSchemas(older.output_schema, newer.output_schema, { side: 'output_schema', path: 'output' }),
    ...compareErrors(older.errors, newer.errors),
  ];
  return changes.toSorted((a, b) => Number(b.breaking) - Number(a.breaking));
}

/** Whether callers of the older version can use the newer one unchanged. */
export function isCompatible(changes: readonly ContractChange[]): boolean {
  return changes.every(({ breaking }) => !breaking);
}

interface Place {
  readonly side: Side;
  readonly path: string;
}

function compareSchemas(older: JsonSchema, newer: JsonSchema, at: Place): ContractChange[] {
  const [before, after] = [typeOf(older), typeOf(newer)];
  if (before !== after) return [change(!widened(older, newer, at.side), at, `its type ${before} became ${after}`)];
  return [
    ...compareProperties(older, newer, at),
    ...compareEnums(older, newer, at),
    ...compareBounds(older, newer, at),
    ...compareShape(older, newer, at),
    ...(older.items && newer.items ? compareSchemas(older.items, newer.items, { ...at, path: `${at.path}[]` }) : []),
  ];
}

function compareProperties(older: JsonSchema, newer: JsonSchema, at: Place): ContractChange[] {
  const [before, after] = [older.properties ?? {}, newer.properties ?? {}];
  const [needed, nowNeeded] = [new Set(older.required), new Set(newer.required)];
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name));
  const [gone] = removed;
  // One property was removed and one of the same type was added: most likely it was renamed.
  const renamedTo =
    removed.length === 1 && gone ? added.find((name) => typeOf(after[name] ?? {}) === typeOf(before[gone] ?? {})) : undefined;
  const inside = (name: string): Place => ({ ...at, path: `${at.path}.${name}` });
  return [
    ...removed.map((name) =>
      change(true, inside(name), renamedTo ? `was removed; it may have been renamed to ${renamedTo}` : 'was removed'),
    ),
    ...added.map((name) => addedProperty(after[name] ?? {}, nowNeeded.has(name), inside(name))),
    ...Object.entries(before).flatMap(([name, schema]) => {
      const now = after[name];
      if (!now) return [];
      return [
        ...compareNeed({ was: needed.has(name), is: nowNeeded.has(name) }, now, inside(name)),
        ...compareSchemas(schema, now, inside(name)),
      ];
    }),
  ];
}

function addedProperty(schema: JsonSchema, isNeeded: boolean, at: Place): ContractChange {
  if (at.side === 'output_schema') return change(false, at, 'was added');
  if (isNeeded) return change(true, at, 'was added and is required');
  return schema.default === undefined
    ? change(true, at, 'was added without a default')
    : change(false, at, `was added with the default ${JSON.stringify(schema.default)}`);
}

function compareNeed({ was, is }: { readonly was: boolean; readonly is: boolean }, schema: JsonSchema, at: Place): ContractChange[] {
  if (was === is) return [];
  if (at.side === 'output_schema') return [change(was, at, was ? 'may be absent now' : 'is always there now')];
  return [change(is && schema.default === undefined, at, is ? 'is required now' : 'is optional now')];
}

function compareEnums(older: JsonSchema, newer: JsonSchema, at: Place): ContractChange[] {
  const [before, after] = [valuesOf(older), valuesOf(newer)];
  if (!before && !after) return [];
  if (!before || !after) {
    const isStricter = after !== null;
    return [
      change(at.side === 'parameters' ? isStricter : !isStricter, at, isStricter ? 'takes listed values alone now' : 'takes any value now'),
    ];
  }
  const lost = before.filter((value) => !after.includes(value));
  const gained = after.filter((value) => !before.includes(value));
  return [
    ...(lost.length > 0 ? [change(at.side === 'parameters', at, `lost the values ${lost.join(', ')}`)] : []),
    // A caller that handles every known value would read one that it does not know.
    ...(gained.length > 0 ? [change(at.side === 'output_schema', at, `gained the values ${gained.join(', ')}`)] : []),
  ];
}

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'] as const;
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'] as const;

function compareBounds(older: JsonSchema, newer: JsonSchema, at: Place): ContractChange[] {
  const compare = (name: string, isStricter: (before: number, after: number) => boolean): ContractChange[] => {
    const [before, after] = [older[name], newer[name]].map((value) => (typeof value === 'number' ? value : null));
    if (before === after || before === undefined || after === undefined) return [];
    const stricter = after !== null && (before === null || isStricter(before, after));
    // A stricter bound refuses parameters that were accepted before. An answer within stricter bounds is still a valid answer.
    return [change(stricter && at.side === 'parameters', at, `its ${name} ${before ?? 'none'} became ${after ?? 'none'}`)];
  };
  return [
    ...lowerBounds.flatMap((name) => compare(name, (before, after) => after > before)),
    ...upperBounds.flatMap((name) => compare(name, (before, after) => after < before)),
  ];
}

/** Keywords that are compared as text. A change may be harmless, but that cannot be decided in general, so it counts as breaking. */
function compareShape(older: JsonSchema, newer: JsonSchema, at: Place): ContractChange[] {
  return [
    'pattern',
    'format',
    'anyOf',
    'oneOf',
    'allOf',
    'not',
    'prefixItems',
    'additionalProperties',
    'multipleOf',
    'uniqueItems',
  ].flatMap((keyword) => {
    const [before, after] = [older[keyword], newer[keyword]].map((value) => JSON.stringify(value));
    if (before === after) return [];
    const isLoosened = after === undefined && at.side === 'parameters';
    return [change(!isLoosened, at, `its ${keyword} changed`)];
  });
}

function compareErrors(older: ContractShape['errors'], newer: ContractShape['errors']): ContractChange[] {
  const at = (name: string): Place => ({ side: 'output_schema', path: `errors.${name}` });
  return [...new Set([...Object.keys(older), ...Object.keys(newer)])].flatMap((name) => {
    if (older[name] === newer[name]) return [];
    if (older[name] === undefined) return [change(false, at(name), 'was added')];
    return [change(newer[name] !== undefined, at(name), newer[name] ? `became ${newer[name]}` : 'is not answered any more')];
  });
}

/** Whether a change of type is harmless: a parameter may become wider and an answer narrower. Every integer is a number. */
function widened(older: JsonSchema, newer: JsonSchema, side: Side): boolean {
  const [narrow, wide] = side === 'parameters' ? [older, newer] : [newer, older];
  const allowed = new Set([wide.type].flat());
  return [narrow.type].flat().every((type) => allowed.has(type) || (type === 'integer' && allowed.has('number')));
}

function typeOf(schema: JsonSchema): string {
  if (schema.type !== undefined) return [schema.type].flat().toSorted().join(' or ');
  if (schema.const !== undefined) return typeof schema.const;
  return schema.anyOf || schema.oneOf ? 'one of several' : 'anything';
}

function valuesOf({ enum: values, const: only }: JsonSchema): readonly string[] | null {
  if (only !== undefined) return [JSON.stringify(only)];
  return values ? values.map((value) => JSON.stringify(value)) : null;
}

function change(breaking: boolean, { path }: Place, rest: string): ContractChange {
  return { breaking, path, message: `${path} ${rest}` };
}
