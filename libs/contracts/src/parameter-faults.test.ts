import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { Refusal } from './errors.js';
import { describeFaults, parseOrRefuse, parseParameters } from './parameter-faults.js';
import { anyText } from './test-texts.js';

const body = z.strictObject({
  name: z.string().min(2).max(4).optional(),
  count: z.int().min(1).max(9).optional(),
  ratio: z.number().gt(0).lt(1).optional(),
  items: z
    .array(z.strictObject({ id: z.uuid(), size: z.int() }))
    .min(1)
    .max(2)
    .optional(),
  map: z.record(z.string(), z.number()).optional(),
  kind: z.enum(['a', 'b']).optional(),
  only: z.literal(7).optional(),
  choice: z.union([z.string(), z.strictObject({ x: z.number() })]).optional(),
  shout: z
    .string()
    .regex(/^[A-Z]+$/, 'write it in capitals')
    .optional(),
  odd: z
    .int()
    .refine((value) => value % 2 === 1, 'must be odd')
    .optional(),
  even: z
    .int()
    .refine((value) => value % 2 === 0, "Parameter 'even' must be even")
    .optional(),
});
const id = '7f1d3c52-6a0e-4f7b-9d6e-2f3f7f0f9a11';

function faultsOf(schema: z.ZodType, value: unknown) {
  const parsed = parseParameters(schema, value);
  return parsed.success ? [] : parsed.faults;
}

test.each<[string, unknown, string, string, string]>([
  ['a text for a number', { count: '1' }, 'type', 'count', "Parameter 'count' must be integer, not string"],
  ['a fraction for an integer', { count: 1.5 }, 'type', 'count', "Parameter 'count' must be integer, not number"],
  ['a null', { name: null }, 'type', 'name', "Parameter 'name' must be string, not null"],
  ['a list for an object', { map: [] }, 'type', 'map', "Parameter 'map' must be object, not array"],
  ['an object for a list', { items: {} }, 'type', 'items', "Parameter 'items' must be array, not object"],
  ['a value inside a map', { map: { a: 'x' } }, 'type', 'map.a', "Parameter 'map.a' must be number, not string"],
  ['a value inside a list', { items: [{ id, size: 'x' }] }, 'type', 'items.0.size', "Parameter 'items.0.size' must be number, not string"],
  ['a missing value inside a list', { items: [{ id }] }, 'missing', 'items.0.size', 'Missing required parameter: items.0.size'],
  ['an unknown name', { more: 1 }, 'unexpected', 'more', 'Unexpected parameter: more'],
  ['an unknown name inside', { items: [{ id, size: 1, x: 1 }] }, 'unexpected', 'items.0.x', 'Unexpected parameter: items.0.x'],
  ['a text that is too short', { name: 'a' }, 'range', 'name', "Parameter 'name' must have at least 2 characters"],
  ['a text that is too long', { name: 'abcde' }, 'range', 'name', "Parameter 'name' must have at most 4 characters"],
  ['a number that is too small', { count: 0 }, 'range', 'count', "Parameter 'count' must be at least 1"],
  ['a number that is too large', { count: 10 }, 'range', 'count', "Parameter 'count' must be at most 9"],
  ['a number at an open lower bound', { ratio: 0 }, 'range', 'ratio', "Parameter 'ratio' must be more than 0"],
  ['a number at an open upper bound', { ratio: 1 }, 'range', 'ratio', "Parameter 'ratio' must be less than 1"],
  ['a list that is too short', { items: [] }, 'range', 'items', "Parameter 'items' must have at least 1 item"],
  ['a word that is not listed', { kind: 'c' }, 'enum', 'kind', "Parameter 'kind' must be one of [a, b]"],
  ['another value than the only one', { only: 8 }, 'enum', 'only', "Parameter 'only' must be one of [7]"],
  ['a format', { items: [{ id: 'x', size: 1 }] }, 'other', 'items.0.id', "Validation error: Parameter 'items.0.id' is not valid (uuid)"],
  ['a choice of which nothing fits', { choice: 5 }, 'other', 'choice', "Validation error: Parameter 'choice' is not valid"],
  ["the schema's own message", { shout: 'low' }, 'other', 'shout', 'write it in capitals'],
  ['a rule that leaves the name out', { odd: 2 }, 'other', 'odd', "Parameter 'odd' must be odd"],
  ["a rule's own message", { even: 3 }, 'other', 'even', "Parameter 'even' must be even"],
])('%s is described', (...[, value, kind, path, message]) => {
  expect(faultsOf(body, value)).toEqual([{ kind, path, message }]);
});

test.each<[unknown, string]>([
  [null, 'null'],
  [[], 'array'],
  ['text', 'string'],
  [7, 'number'],
  [true, 'boolean'],
  [undefined, 'undefined'],
])('%j in the place of all parameters is said to be of the type %s', (value, type) => {
  expect(faultsOf(body, value)).toEqual([{ kind: 'type', path: '', message: `The parameters must be a JSON object, not ${type}` }]);
});

test('a rule over several parameters keeps its own message', () => {
  const either = z.strictObject({ url: z.string().optional(), file: z.string().optional() }).refine(({ url, file }) => url ?? file, {
    error: "One of the parameters 'url' and 'file' is required",
  });
  expect(faultsOf(either, {})).toEqual([{ kind: 'other', path: '', message: "One of the parameters 'url' and 'file' is required" }]);
});

test('messages speak of the value that the caller sent, not of its corrected form', () => {
  const parsed = parseParameters(z.strictObject({ n: z.int() }), {}, { n: null });
  expect(parsed).toMatchObject({ success: false, faults: [{ message: "Parameter 'n' must be integer, not null" }] });
});

test('a refusal has a line for people and a detail for every fault, and a good value comes back parsed', () => {
  const withDefault = z.strictObject({ size: z.int().default(5), unit: z.string() });
  expect(parseOrRefuse(withDefault, { unit: 'kg' })).toEqual({ size: 5, unit: 'kg' });
  const refused = (() => {
    try {
      return parseOrRefuse(withDefault, { size: 'x' });
    } catch (error) {
      return error;
    }
  })();
  expect(refused).toBeInstanceOf(Refusal);
  expect(refused).toMatchObject({
    error: {
      code: 'INVALID_PARAMS',
      message: "Parameter 'size' must be integer, not string; Missing required parameter: unit",
      details: [
        { path: 'size', message: "Parameter 'size' must be integer, not string" },
        { path: 'unit', message: 'Missing required parameter: unit' },
      ],
    },
  });
});

test('details do not show the kind of a fault', () => {
  const faults = [{ kind: 'type', path: 'a', message: 'A' } as const, { kind: 'enum', path: 'b', message: 'B' } as const];
  expect(describeFaults(faults)).toEqual({
    message: 'A; B',
    details: [
      { path: 'a', message: 'A' },
      { path: 'b', message: 'B' },
    ],
  });
});

describe('names that a caller chose', () => {
  test('never bring control characters or long texts into a message', () => {
    fc.assert(
      fc.property(anyText({ minLength: 1, maxLength: 300 }), (name) => {
        fc.pre(!Object.hasOwn(body.shape, name) && name !== '__proto__');
        const [fault] = faultsOf(body, { [name]: 1 });
        expect(fault?.kind).toBe('unexpected');
        expect(fault?.message).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        expect(fault?.message.length).toBeLessThanOrEqual('Unexpected parameter: '.length + 81);
      }),
    );
  });

  test('are cut without leaving half a character', () => {
    const [fault] = faultsOf(body, { [`a${'𝒳'.repeat(100)}`]: 1 });
    expect(fault?.message.isWellFormed()).toBe(true);
  });

  test('are safe inside a map too', () => {
    fc.assert(
      fc.property(anyText({ minLength: 1, maxLength: 300 }), (name) => {
        fc.pre(name !== '__proto__');
        const [fault] = faultsOf(body, { map: { [name]: 'x' } });
        expect(fault?.message).not.toMatch(/\p{Cc}/u);
        expect(fault?.message.length).toBeLessThan(140);
      }),
    );
  });
});

test('whatever JSON holds, it is parsed or every fault has a message', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const { message } of faultsOf(body, value)) expect(message).toMatch(/\S/);
    }),
  );
});

describe('of very many faults the first are told, and how many more there are', () => {
  const names = Object.fromEntries(Array.from({ length: 19_000 }, (_, index) => [`k${index}`, 1]));
  test.each<[string, unknown, number]>([
    ['names that are not expected', names, 18_950],
    ['names, after another fault', { ...names, count: 'x' }, 18_951],
    ['values of a map', { map: Object.fromEntries(Object.keys(names).map((name) => [name, 'x'])) }, 18_950],
  ])('%s', (_what, value, more) => {
    const faults = faultsOf(body, value);
    expect(faults).toHaveLength(51);
    expect(faults.at(-1)).toEqual({ kind: 'other', path: '', message: `${more} more faults` });
    expect(describeFaults(faults).message.length).toBeLessThan(5_000);
  });

  test('as many as fit are told whole', () => {
    const fifty = Object.fromEntries(
      Object.keys(names)
        .slice(0, 50)
        .map((name) => [name, 1]),
    );
    expect(faultsOf(body, fifty)).toHaveLength(50);
    expect(faultsOf(body, fifty).every(({ kind }) => kind === 'unexpected')).toBe(true);
  });
});
