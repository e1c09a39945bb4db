import { expect, test } from '@jest/globals';
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
