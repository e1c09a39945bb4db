import { Refusal } from '#lib/contracts';

/** @limit calls: levels of parameters; INVALID_PARAMS */
const maxDepth = 64;
/**
 * Values of lists and objects, at all depths.
 * @limit calls: values of lists and objects in parameters, at all levels; INVALID_PARAMS
 */
export const maxValues = 20_000;

const tooManyValues = `has more than ${maxValues} values`;

interface Walked {
  readonly fault: Fault | null;
  readonly values: number;
}

/**
 * Refuses what no handler and no store should see, wherever it came from: NUL and lone surrogates (Postgres accepts neither), names
 * that reach a prototype, infinite numbers, more than 64 levels or 20,000 values. Throws INVALID_PARAMS that names the field.
 * @param place where the value stands, for the message: `the body`, `the query`
 * @returns how many values it holds
 */
export function checkValue(value: unknown, place: string): number {
  const { fault, values } = walk(value);
  if (!fault) return values;
  const { what, field } = fault;
  const where = field === '' ? place : `'${field}' in ${place}`;
  throw unsafe(`${where.charAt(0).toUpperCase()}${where.slice(1)} ${what}`, field);
}

/** The refusal of a body that has too many values. */
export function bodyOfTooManyValues(): Refusal {
  return unsafe(`The body ${tooManyValues}`, '');
}

export function unsafe(message: string, path: string): Refusal {
  return new Refusal('INVALID_PARAMS', message, { details: [{ path, message }] });
}

interface Fault {
  readonly what: string;
  /** The name at the top level under which it is; empty for the value as a whole. */
  readonly field: string;
}

/** Walks without recursion, because the sender chooses the depth. */
function walk(root: unknown): Walked {
  const stack: { value: unknown; depth: number; field: string }[] = [{ value: root, depth: 0, field: '' }];
  let values = 0;
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, depth, field } = next;
    const what = faultOf(value, depth);
    if (what !== null) return { fault: { what, field }, values };
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [key, item] of Object.entries(value)) {
      if (++values > maxValues) return { fault: { what: tooManyValues, field: '' }, values };
      const inName = isList ? null : faultOfName(key, item);
      if (inName !== null) return { fault: { what: inName, field }, values };
      stack.push({ value: item, depth: depth + 1, field: depth === 0 && !isList ? key : field });
    }
  }
  return { fault: null, values };
}

function faultOf(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return faultOfText(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return 'holds a number that is too large';
  return typeof value === 'object' && value !== null && depth >= maxDepth ? `is nested more than ${maxDepth} levels deep` : null;
}

function faultOfName(name: string, item: unknown): string | null {
  const reachesPrototype =
    name === '__proto__' || (name === 'constructor' && typeof item === 'object' && item !== null && Object.hasOwn(item, 'prototype'));
  return reachesPrototype ? `must not hold the name '${name}'` : faultOfText(name);
}

function faultOfText(text: string): string | null {
  if (text.includes('\0')) return 'holds a NUL character (\\u0000), which is not allowed';
  return text.isWellFormed() ? null : 'holds half of a surrogate pair, which is not valid Unicode';
}
