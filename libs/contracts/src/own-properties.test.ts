import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { objectFromJsonSchema } from './derive/from-json-schema.js';
import { ownProperties } from './own-properties.js';

const text = { type: 'string' } as const;

test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'])(
  'a field called %s is absent where nobody gave it',
  (name) => {
    const properties = { [name]: text, inner: { type: 'object', properties: { [name]: text } } };
    const schema = objectFromJsonSchema({ type: 'object', properties });
    for (const value of [{}, { inner: {} }, { [name]: 'a', inner: { [name]: 'b' } }])
      expect(schema.safeParse(ownProperties(schema, value))).toEqual({ success: true, data: value });
  },
);

test('values of other schemas stay as they are', () => {
  const value = { a: new Date() };
  expect(ownProperties(z.object({ a: z.date() }), value)).toBe(value);
  const named = z.object({ constructor: z.string().optional(), a: z.date() });
  expect(named.parse(ownProperties(named, value))).toEqual(value);
});
