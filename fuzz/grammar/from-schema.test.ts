import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { toJsonSchema, tools } from '#lib/contracts';
import { Random } from '../../chaos/random.js';
import { valueOf } from './from-schema.js';

test('what a schema allows is often taken by the contract that it came from', () => {
  const share = (input: z.ZodType): number => {
    const schema = toJsonSchema(input, 'input');
    const values = Array.from({ length: 40 }, (_, index) => valueOf(schema, new Random(index)));
    return values.filter((value) => input.safeParse(value).success).length / values.length;
  };
  const taken = tools.map(({ name, input }) => ({ name, share: share(input) }));
  // Rules between parameters are in no JSON Schema.
  expect(taken.filter((one) => one.share > 0.3).length / taken.length).toBeGreaterThan(0.8);
});
