import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareContracts, isCompatible, type ContractShape } from './compatibility.js';
import type { JsonSchema } from './json-schema.js';

const output = { type: 'object', properties: { temp: { type: 'number' } }, required: ['temp'], additionalProperties: false } as const;

function shape(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
  rest: Partial<ContractShape> = {},
): ContractShape {
  return {
    name: 'get_weather',
    version: '1.0.0',
    parameters: { type: 'object', properties, required, additionalProperties: false },
    output_schema: output,
    errors: {},
    ...rest,
  };
}
const answers = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = Object.keys(properties)): ContractShape =>
  shape({}, [], { output_schema: { type: 'object', properties, required, additionalProperties: false } });

const location: JsonSchema = { type: 'string' };

test.each<[string, ContractShape, ContractShape, boolean]>([
  ['a new parameter with a default (TU-75)', shape({ location }), shape({ location, unit: { type: 'string', default: 'celsius' } }), true],
  ['a renamed parameter (TU-75)', shape({ location }), shape({ city: { type: 'string' } }), false],
  ['a new parameter without a default', shape({ location }), shape({ location, unit: { type: 'string' } }), false],
  ['a new required parameter', shape({ location }), shape({ location, country: { type: 'string' } }, ['country']), false],
  ['a deleted parameter', shape({ location, unit: location }), shape({ location }), false],
  ['another type', shape({ limit: { type: 'string' } }), shape({ limit: { type: 'integer' } }), false],
  ['a wider type', shape({ limit: { type: 'integer' } }), shape({ limit: { type: 'number' } }), true],
  ['a narrower type', shape({ limit: { type: 'number' } }), shape({ limit: { type: 'integer' } }), false],
  ['an optional parameter that is required now', shape({ location }), shape({ location }, ['location']), false],
  ['a required parameter that is optional now', shape({ location }, ['location']), shape({ location }), true],
  ['a lost value', shape({ unit: { enum: ['c', 'f'], type: 'string' } }), shape({ unit: { enum: ['c'], type: 'string' } }), false],
  ['a won value', shape({ unit: { enum: ['c'], type: 'string' } }), shape({ unit: { enum: ['c', 'f'], type: 'string' } }), true],
  ['a lower maximum', shape({ n: { type: 'integer', maximum: 9 } }), shape({ n: { type: 'integer', maximum: 8 } }), false],
  ['a higher maximum', shape({ n: { type: 'integer', maximum: 9 } }), shape({ n: { type: 'integer' } }), true],
  ['a new pattern', shape({ location }), shape({ location: { type: 'string', pattern: '^a' } }), false],
  ['a dropped pattern', shape({ location: { type: 'string', pattern: '^a' } }), shape({ location }), true],
  ['another description', shape({ location }), shape({ location: { type: 'string', description: 'Where.' } }), true],
  [
    'an answer with one field more',
    answers({ temp: { type: 'number' } }),
    answers({ temp: { type: 'number' }, wind: { type: 'number' } }),
    true,
  ],
  ['an answer with a renamed field', answers({ temp: { type: 'number' } }), answers({ temperature: { type: 'number' } }), false],
  ['an answer whose field may be absent', answers({ temp: { type: 'number' } }), answers({ temp: { type: 'number' } }, []), false],
  ['an answer that may be null', answers({ temp: { type: 'number' } }), answers({ temp: { type: ['number', 'null'] } }), false],
  ['an answer that is narrower', answers({ temp: { type: 'number' } }), answers({ temp: { type: 'integer' } }), true],
  [
    'an answer with a value nobody knows',
    answers({ sky: { type: 'string', enum: ['a'] } }),
    answers({ sky: { type: 'string', enum: ['a', 'b'] } }),
    false,
  ],
  [
    'a change deep inside a list',
    answers({ days: { type: 'array', items: { type: 'object', properties: { t: { type: 'number' } } } } }),
    answers({ days: { type: 'array', items: { type: 'object', properties: {} } } }),
    false,
  ],
  ['an error more', shape({}), shape({}, [], { errors: { CITY_NOT_FOUND: 'RESOURCE_NOT_FOUND' } }), true],
  ['an error of another family', shape({}, [], { errors: { X: 'CONFLICT' } }), shape({}, [], { errors: { X: 'INVALID_PARAMS' } }), false],
])('%s', (...[, older, newer, compatible]) => {
  const changes = compareContracts(older, newer);
  expect([changes, isCompatible(changes)]).toEqual([changes, compatible]);
});

test('a rename is called one', () => {
  expect(compareContracts(shape({ location }), shape({ city: location })).map(({ message }) => message)).toContain(
    'parameters.location was removed; it may have been renamed to city',
  );
});

test('a contract is compatible with itself, and each change is told', () => {
  const property = fc.record(
    { type: fc.constantFrom('string', 'number', 'integer', 'boolean'), default: fc.integer() },
    { requiredKeys: ['type'] },
  );
  const properties = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), property, { maxKeys: 5 });
  fc.assert(
    fc.property(properties, properties, (before, after) => {
      expect(compareContracts(shape(before), shape(before))).toEqual([]);
      const told = compareContracts(shape(before), shape(after));
      const same = Object.keys({ ...before, ...after }).every(
        (name) => Object.hasOwn(before, name) && Object.hasOwn(after, name) && before[name]?.type === after[name]?.type,
      );
      expect(told.length > 0).toBe(!same);
    }),
  );
});

/** A change of one field, as a parameter and in an answer: callers fill in the one and read the other. */
const field = (schema: JsonSchema): ContractShape => ({ ...shape({ f: schema }), output_schema: answers({ f: schema }).output_schema });
const breakingAt = (older: JsonSchema, newer: JsonSchema) =>
  compareContracts(field(older), field(newer))
    .filter(({ breaking }) => breaking)
    .map(({ path }) => path)
    .toSorted();

describe('one change breaks callers', () => {
  const text: JsonSchema = { type: 'string' };
  const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
  const both = ['output.f', 'parameters.f'];

  test.each<[string, JsonSchema, JsonSchema, readonly string[]]>([
    ['nowhere: nothing changed', text, text, []],
    ['nowhere: another description', text, { ...text, description: 'D' }, []],
    ['nowhere: another title', text, { ...text, title: 'T' }, []],
    ['on both sides: another type', text, { type: 'boolean' }, both],
    ['that send: a number became an integer', { type: 'number' }, { type: 'integer' }, ['parameters.f']],
    ['that read: an integer became a number', { type: 'integer' }, { type: 'number' }, ['output.f']],
    ['that read: it may be null now', text, { type: ['string', 'null'] }, ['output.f']],
    ['that send: it may not be null any more', { type: ['string', 'null'] }, text, ['parameters.f']],
    ['nowhere: types in another order', { type: ['string', 'null'] }, { type: ['null', 'string'] }, []],
    ['that send: a lost value', { ...text, enum: ['a', 'b'] }, { ...text, enum: ['a'] }, ['parameters.f']],
    ['that read: a new value', { ...text, enum: ['a'] }, { ...text, enum: ['a', 'b'] }, ['output.f']],
    ['on both sides: one value for another', { ...text, enum: ['a'] }, { ...text, enum: ['b'] }, both],
    ['nowhere: values in another order', { ...text, enum: ['a', 'b'] }, { ...text, enum: ['b', 'a'] }, []],
    ['that send: any value became a list', text, { ...text, enum: ['a'] }, ['parameters.f']],
    ['that read: a list became any value', { ...text, enum: ['a'] }, text, ['output.f']],
    ['on both sides: another constant', { const: 'a' }, { const: 'b' }, both],
    ['that send: a higher minimum', { type: 'integer', minimum: 1 }, { type: 'integer', minimum: 2 }, ['parameters.f']],
    ['nowhere: a lower minimum', { type: 'integer', minimum: 2 }, { type: 'integer', minimum: 1 }, []],
    ['that send: a minimum for the first time', { type: 'integer' }, { type: 'integer', minimum: 0 }, ['parameters.f']],
    ['that send: a lower maximum', { type: 'integer', maximum: 9 }, { type: 'integer', maximum: 8 }, ['parameters.f']],
    [
      'that send: a higher open minimum',
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'number', exclusiveMinimum: 1 },
      ['parameters.f'],
    ],
    ['that send: a lower open maximum', { type: 'number', exclusiveMaximum: 2 }, { type: 'number', exclusiveMaximum: 1 }, ['parameters.f']],
    ['that send: a shorter text', { ...text, maxLength: 9 }, { ...text, maxLength: 8 }, ['parameters.f']],
    ['that send: a longer least text', { ...text, minLength: 1 }, { ...text, minLength: 2 }, ['parameters.f']],
    ['nowhere: a longer text', { ...text, maxLength: 8 }, { ...text, maxLength: 9 }, []],
    ['that send: fewer items', { ...list(text), maxItems: 3 }, { ...list(text), maxItems: 2 }, ['parameters.f']],
    ['that send: more items at least', { ...list(text), minItems: 0 }, { ...list(text), minItems: 1 }, ['parameters.f']],
    ['on both sides: another pattern', { ...text, pattern: 'a' }, { ...text, pattern: 'b' }, both],
    ['on both sides: a new pattern', text, { ...text, pattern: 'a' }, both],
    ['that read: no pattern any more', { ...text, pattern: 'a' }, text, ['output.f']],
    ['on both sides: another format', { ...text, format: 'date' }, { ...text, format: 'date-time' }, both],
    ['on both sides: other alternatives', { anyOf: [text] }, { anyOf: [text, { type: 'null' }] }, both],
    ['on both sides: unique items', list(text), { ...list(text), uniqueItems: true }, both],
    ['on both sides: another multiple', { type: 'number', multipleOf: 1 }, { type: 'number', multipleOf: 2 }, both],
  ])('%s', (...[, older, newer, paths]) => {
    expect(breakingAt(older, newer)).toEqual(paths);
  });

  test('deep inside a list or an object, by its path', () => {
    const deep = (leaf: JsonSchema): JsonSchema => list({ type: 'object', properties: { a: list(leaf) }, required: ['a'] });
    expect(breakingAt(deep({ type: 'integer' }), deep(text))).toEqual(['output.f[].a[]', 'parameters.f[].a[]']);
  });
});

describe('errors', () => {
  const errors = (older: Record<string, string>, newer: Record<string, string>) =>
    compareContracts(shape({}, [], { errors: older }), shape({}, [], { errors: newer })).map(({ breaking, message }) => [
      breaking,
      message,
    ]);

  test.each([
    [{}, { A: 'CONFLICT' }, [[false, 'errors.A was added']]],
    [{ A: 'CONFLICT' }, {}, [[false, 'errors.A is not answered any more']]],
    [{ A: 'CONFLICT' }, { A: 'TIMEOUT' }, [[true, 'errors.A became TIMEOUT']]],
    [{ A: 'CONFLICT' }, { A: 'CONFLICT' }, []],
  ])('from %j to %j', (older, newer, expected) => {
    expect(errors(older, newer)).toEqual(expected);
  });
});

test('what breaks is told first', () => {
  const older = shape({ a: { type: 'string' }, b: { type: 'string' } });
  const newer = shape({ a: { type: 'string', description: 'D' }, c: { type: 'string', default: 'x' } });
  expect(compareContracts(older, newer).map(({ breaking }) => breaking)).toEqual([true, false]);
});
