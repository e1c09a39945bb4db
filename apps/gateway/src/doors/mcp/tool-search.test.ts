import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tokensOf } from '#lib/contracts';
import { searchTools, unwrapped } from './tool-search.js';

const call = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });

test('the two tools cost a model less than a thousand tokens', () => {
  expect(tokensOf(searchTools)).toBeLessThan(1_000);
});

test('a call of a call is the call itself, with all that came beside it', () => {
  const inner = { name: 'call_tool', arguments: { name: 'get_weather', arguments: { location: 'Berlin' } }, _meta: { progressToken: 7 } };
  const plain = call({ name: 'get_weather', arguments: { location: 'Berlin' }, _meta: { progressToken: 7 } });
  expect(unwrapped(call(inner))).toEqual(plain);
  expect(unwrapped([call(inner), call({ name: 'x' })])).toEqual([plain, call({ name: 'x' })]);
});

test.each([
  [undefined, {}],
  [null, {}],
  ['{"a":1}', { a: 1 }],
])('parameters that a model writes as %j are %j', (given, meant) => {
  expect(unwrapped(call({ name: 'call_tool', arguments: { name: 't', arguments: given } }))).toMatchObject({
    params: { name: 't', arguments: meant },
  });
});

test('whatever cannot be read stays as it came', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer(), fc.array(fc.integer())), (given) => {
      const parsed = typeof given === 'string' ? isObject(given) : false;
      const message = call({ name: 'call_tool', arguments: { name: 't', arguments: given } });
      if (!parsed) expect(unwrapped(message)).toBe(message);
    }),
  );
  for (const message of [null, 3, 'x', call({ name: 'call_tool' }), call({ name: 'call_tool', arguments: { name: 3 } })])
    expect(unwrapped(message)).toBe(message);
});

function isObject(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed === null || (typeof parsed === 'object' && !Array.isArray(parsed));
  } catch {
    return false;
  }
}
