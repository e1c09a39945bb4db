import { expect, test } from '@jest/globals';
import { caseOf } from './index.js';
import type { Inventory } from '../requests/inventory.js';

const input = { type: 'object', properties: { user_id: { type: 'string' }, age: { type: 'integer', minimum: 1 } }, required: ['user_id'] };
const inventory: Inventory = {
  operations: [
    { method: 'GET', path: '/jobs/{id}', queryNames: ['wait'], headerNames: [], bodySchema: null },
    { method: 'POST', path: '/keys', queryNames: [], headerNames: ['Idempotency-Key'], bodySchema: input },
    { method: 'GET', path: '/a_new_route', queryNames: [], headerNames: [], bodySchema: null },
  ],
  tools: [{ name: 'lookup', input, examples: [{ user_id: 'user_001' }], native: '/aurawell/lookup' }],
};
const numbers = Array.from({ length: 600 }, (_, index) => index + 1);

test('a case is the same for the same seed and number, whatever was made before it', () => {
  const all = numbers.map((number) => caseOf({ seed: 3, number }, inventory));
  expect(caseOf({ seed: 3, number: 500 }, inventory)).toEqual(all[499]);
  expect(caseOf({ seed: 4, number: 500 }, inventory)).not.toEqual(all[499]);
});

test('a case is plain data: it can be kept and sent again', () => {
  for (const number of numbers) {
    const made = caseOf({ seed: 3, number }, inventory);
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
  }
});

test('every route and every door gets cases, also a route that nobody has written a door for', () => {
  const doors = new Set(numbers.map((number) => caseOf({ seed: 3, number }, inventory).door));
  expect([...doors]).toEqual(
    expect.arrayContaining([
      'GET /a_new_route',
      'POST /keys',
      'POST /tools/batch',
      'native routes',
      'MCP 2025',
      'MCP 2026',
      'chat',
      'raw bytes',
    ]),
  );
});
