import { describe, expect, test } from '@jest/globals';
import { withBoundedWork } from './bounded-work.js';
import { objectFromJsonSchema } from './from-json-schema.js';
import { toJsonSchema } from './json-schema.js';

const checked = (schema: Readonly<Record<string, unknown>>) => withBoundedWork(objectFromJsonSchema(schema), schema);
/** `{ c: { c: … leaf } }` */
const nested = (levels: number, leaf: unknown): unknown => Array.from({ length: levels }).reduce((value) => ({ c: value }), leaf);

const node = { type: 'object', properties: { c: { $ref: '#/$defs/n' } }, additionalProperties: false };
const doubling = { type: 'object', properties: { c: { $ref: '#/$defs/n' } }, $defs: { n: { allOf: [node, node] } } };

describe('a schema whose references multiply', () => {
  test.each([20, 40, 60])('refuses a value of %i levels at once, and says why', (levels) => {
    const { error } = checked(doubling).safeParse({ c: nested(levels, { bad: 1 }) });
    expect(error?.issues).toMatchObject([{ path: [], message: expect.stringContaining('nest it less deeply') }]);
  });

  test('checks values of a few levels as ever', () => {
    expect(checked(doubling).safeParse({ c: nested(6, {}) }).success).toBe(true);
    expect(checked(doubling).safeParse({ c: nested(6, { bad: 1 }) }).error?.issues[0]?.path).toEqual(Array(7).fill('c'));
  });

  test('is the same to its readers', () => {
    expect(toJsonSchema(checked(doubling), 'input')).toEqual(toJsonSchema(objectFromJsonSchema(doubling), 'input'));
  });
});

test('alternatives that share a field are bounded by the depth of the value', () => {
  const call = (op: string) => ({
    type: 'object',
    properties: { op: { const: op }, args: { type: 'array', items: { $ref: '#/$defs/e' } } },
  });
  const schema = {
    type: 'object',
    properties: { e: { $ref: '#/$defs/e' } },
    $defs: { e: { anyOf: [call('and'), call('or'), call('not')] } },
  };
  const expression = (levels: number): unknown => ({ op: 'not', args: levels > 0 ? [expression(levels - 1)] : [] });
  expect(checked(schema).safeParse({ e: expression(5) }).success).toBe(true);
  expect(checked(schema).safeParse({ e: expression(30) }).success).toBe(false);
});

test.each([
  ['at once', (next: object) => ({ allOf: [next, next] })],
  ['in two fields', (next: object) => ({ type: 'object', properties: { a: next, definitions: next } })],
])('definitions that double %s are refused where there are many', (_how, twice) => {
  const schemaOf = (count: number) => {
    const definition = (_: unknown, n: number) => [`n${n}`, n === count - 1 ? { type: 'string' } : twice({ $ref: `#/$defs/n${n + 1}` })];
    return {
      type: 'object',
      properties: { a: { $ref: '#/$defs/n0' } },
      $defs: Object.fromEntries(Array.from({ length: count }, definition)),
    };
  };
  expect(() => checked(schemaOf(5))).not.toThrow();
  expect(() => checked(schemaOf(60))).toThrow('at most 20000 parts');
});

test('a long list of alternatives is no work', () => {
  const schema = { type: 'object', properties: { points: { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'null' }] } } } };
  expect(checked(schema).safeParse({ points: Array.from({ length: 100_000 }, (_, n) => (n % 2 ? n : null)) }).success).toBe(true);
});
