import { describe, expect, test } from '@jest/globals';
import { calledBy, mostShown, queryOf, searchesAmong } from './many-tools.js';

const call = (name: string, given: Record<string, unknown>, malformed?: string) => ({
  id: 'a',
  name,
  arguments: given,
  ...(malformed !== undefined && { malformed }),
});
const named = (count: number, ...more: string[]) =>
  new Map([...Array.from({ length: count }, (_, n) => `t${n}`), ...more].map((one) => [one, 1]));

test('a model searches among more than thirty tools, unless one of them has the name of the search', () => {
  expect([named(mostShown), named(mostShown + 1), named(40, 'search_tools'), named(40, 'call_tool')].map(searchesAmong)).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

describe('a call of call_tool', () => {
  test.each([
    [call('call_tool', { name: 'crm__find', arguments: { a: 1 } }), call('crm__find', { a: 1 })],
    [call('call_tool', { name: 'crm__find' }), call('crm__find', {})],
    [call('crm__find', { a: 1 }), call('crm__find', { a: 1 })],
    [call('call_tool', {}), call('call_tool', {}, "'name' must be the name of a tool")],
    [call('call_tool', { name: 'x', arguments: 'y' }), call('x', { name: 'x', arguments: 'y' }, "'arguments' must be an object")],
    [call('call_tool', { name: 'x', arguments: [1] }), call('x', { name: 'x', arguments: [1] }, "'arguments' must be an object")],
  ])('%# is one of the tool that it names', (given, made) => {
    expect(calledBy(given)).toEqual(made);
  });

  test('is none of the search', () => {
    expect([call('call_tool', { query: 'a' }), call('search_tools', { query: ' a ' }), call('search_tools', {})].map(queryOf)).toEqual([
      null,
      'a',
      '',
    ]);
  });
});
