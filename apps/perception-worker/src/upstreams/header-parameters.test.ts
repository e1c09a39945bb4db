import { describe, expect, test } from '@jest/globals';
import { headerFault } from './header-parameters.js';

const marked = (mark: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': mark });
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('marks of parameters that are headers too', () => {
  test.each([
    ['none', object({ a: { type: 'string' } })],
    ['one of each type', object({ a: marked('A'), b: marked('B', 'integer'), c: marked('C', 'boolean') })],
    ['one in an object', object({ a: object({ b: marked('B') }) })],
    ['no schema', null],
  ])('that can be followed: %s', (_what, schema) => {
    expect(headerFault(schema)).toBeNull();
  });

  test.each([
    ['an empty name', object({ a: marked('') }), 'name of a header'],
    ['a name that is no text', object({ a: marked(1) }), 'name of a header'],
    ['a name with a space', object({ a: marked('a b') }), 'name of a header'],
    ['a name with a line break', object({ a: marked('a\r\nb') }), 'name of a header'],
    ['a number', object({ a: marked('A', 'number') }), "'A' may mark string"],
    ['an object', object({ a: marked('A', 'object') }), "'A' may mark string"],
    ['several types', object({ a: marked('A', ['string', 'null']) }), "'A' may mark string"],
    ['a name twice, written in two ways', object({ a: marked('Region'), b: marked('REGION') }), 'marks two parameters'],
    ['the elements of a list', object({ a: { type: 'array', items: marked('A') } }), 'no part of a condition'],
    ['one of several forms', object({ a: { oneOf: [marked('A')] } }), 'no part of a condition'],
    ['a definition', object({}, { $defs: { a: marked('A') } }), 'no part of a condition'],
    ['the properties of a condition', object({}, { if: object({ a: marked('A') }) }), 'no part of a condition'],
  ])('that cannot: %s', (_what, schema, reason) => {
    expect(headerFault(schema)).toContain(reason);
  });

  test('in a schema without end are not looked for', () => {
    const endless: Record<string, unknown> = { type: 'object' };
    endless['properties'] = { again: endless };
    expect(headerFault(endless)).toBeNull();
  });
});
