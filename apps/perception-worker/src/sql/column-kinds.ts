// Types of PostgreSQL, by their numbers, and what their values are in JSON.
import { types } from 'pg';
import type { ColumnKind, TypedColumn } from '#lib/contracts';

type Typed = Pick<TypedColumn, 'kind' | 'isList'>;
type Schema = Readonly<Record<string, unknown>>;

/** By the number of a type: what it is, and the number of its array. All others are texts, as PostgreSQL writes them. */
const builtins: readonly (readonly [kind: ColumnKind, type: number, array: number])[] = [
  ['boolean', 16, 1000],
  ['integer', 21, 1005],
  ['integer', 23, 1007],
  ['bigint', 26, 1028],
  ['bigint', 20, 1016],
  ['number', 700, 1021],
  ['number', 701, 1022],
  ['decimal', 1700, 1231],
  ['date', 1082, 1182],
  ['time', 1083, 1183],
  ['timestamp', 1114, 1115],
  ['timestamptz', 1184, 1185],
  ['interval', 1186, 1187],
  ['uuid', 2950, 2951],
  ['json', 114, 199],
  ['json', 3802, 3807],
  ['bytes', 17, 1001],
  ['text', 25, 1009],
  ['text', 1043, 1015],
  ['text', 1042, 1014],
  ['text', 19, 1003],
];
const byNumber = new Map<number, Typed>(
  builtins.flatMap(([kind, type, array]): [number, Typed][] => [
    [type, { kind, isList: false }],
    [array, { kind, isList: true }],
  ]),
);
const arrayOfText: number = 1009;

export function typedOf(type: number): Typed {
  return byNumber.get(type) ?? { kind: 'text', isList: false };
}

const notFinite = ['NaN', 'Infinity', '-Infinity'] as const;
const decimal = 'An exact decimal, as text.';
const bigint = 'A whole number of up to 19 digits, as text: JSON numbers are not exact there.';
const iso = {
  date: 'Such as 2026-01-31.',
  time: 'Such as 12:30:00.',
  timestamp: 'A time without a zone, such as 2026-01-31T12:30:00.',
  timestamptz: 'A time in UTC, such as 2026-01-31T12:30:00Z.',
  interval: 'A duration of ISO 8601, such as P1DT2H.',
} as const;

/** The schema of a value that a caller gives. */
export function inputSchema({ kind, isList }: Typed): Schema {
  const one = givenSchema(kind);
  return isList ? { type: 'array', items: one } : one;
}

function givenSchema(kind: ColumnKind): Schema {
  switch (kind) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 };
    case 'bigint':
      return { type: ['integer', 'string'], description: 'A whole number; as text where it has more than 15 digits.' };
    case 'number':
      return { type: 'number' };
    case 'decimal':
      return { type: ['number', 'string'], description: 'A number; as text where it must be exact.' };
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'interval':
      return { type: 'string', description: iso[kind] };
    case 'uuid':
    case 'text':
      return { type: 'string' };
    case 'json':
      return {};
    case 'bytes':
      return { type: 'string', contentEncoding: 'base64', description: 'Bytes in base64.' };
  }
}

/** The schema of a value of a column, which may be null whatever the table says. */
export function outputSchema({ kind, isList }: Typed): Schema {
  const one = columnSchema(kind);
  return isList ? { type: ['array', 'null'], items: one } : one;
}

function columnSchema(kind: ColumnKind): Schema {
  switch (kind) {
    case 'boolean':
      return { type: ['boolean', 'null'] };
    case 'integer':
      return { type: ['integer', 'null'] };
    case 'bigint':
      return { type: ['string', 'null'], description: bigint };
    case 'number':
      return { type: ['number', 'string', 'null'], description: `A number, or the text ${notFinite.join(', ')}.` };
    case 'decimal':
      return { type: ['string', 'null'], description: decimal };
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'interval':
      return { type: ['string', 'null'], description: iso[kind] };
    case 'uuid':
    case 'text':
      return { type: ['string', 'null'] };
    case 'json':
      return {};
    case 'bytes':
      return { type: ['string', 'null'], contentEncoding: 'base64', description: 'Bytes in base64.' };
  }
}

/** A value that a caller gave, as `pg` binds it: null, a text, or an array of them. */
export function bound(value: unknown, { kind, isList }: Typed): unknown {
  if (value === undefined || value === null) return null;
  if (isList && Array.isArray(value)) return value.map((item: unknown): unknown => bound(item, { kind, isList: Array.isArray(item) }));
  if (kind === 'json') return JSON.stringify(value);
  if (kind === 'bytes' && typeof value === 'string') return `\\x${Buffer.from(value, 'base64').toString('hex')}`;
  return typeof value === 'object' ? JSON.stringify(value) : `${value as string | number | boolean}`;
}

/** What a value is in JSON. @param text as PostgreSQL writes it, with ISO dates and hexadecimal bytes; null for NULL */
export function jsonOf(text: string | null, { kind, isList }: Typed): unknown {
  if (text === null) return null;
  if (isList) return itemsOf(types.getTypeParser(arrayOfText)(text), kind);
  switch (kind) {
    case 'boolean':
      return text === 't';
    case 'integer':
      return Number(text);
    case 'number':
      return notFinite.some((word) => word === text) ? text : Number(text);
    case 'timestamp':
      return text.replace(' ', 'T');
    case 'timestamptz':
      return text.replace(' ', 'T').replace(/\+00$/, 'Z');
    case 'json':
      return exactJson(text);
    case 'bytes':
      return Buffer.from(text.slice(2), 'hex').toString('base64');
    default:
      return text;
  }
}

function itemsOf(items: unknown, kind: ColumnKind): unknown {
  if (Array.isArray(items)) return items.map((item: unknown) => itemsOf(item, kind));
  return jsonOf(typeof items === 'string' ? items : null, { kind, isList: false });
}

/** Texts of JSON, numbers with a fraction or an exponent, and long whole numbers. */
const longNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+[.eE][\d.eE+-]*|-?\d{16,}/g;

/** Whole numbers that a number of JavaScript would change are texts. A function for `JSON.parse` takes fifty times as long. */
function exactJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const exact = text.replace(longNumbers, (found) =>
    /^-?\d+$/.test(found) && !Number.isSafeInteger(Number(found)) ? `"${found}"` : found,
  );
  return JSON.parse(exact);
}
