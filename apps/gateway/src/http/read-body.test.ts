import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { Refusal } from '#lib/contracts';
import { readBody } from './read-body.js';

const schema = z.strictObject({ name: z.string(), size: z.number().int().min(1).default(1) });

test('reads a body in the shape of its schema, with its defaults', () => {
  expect(readBody({ body: { name: 'a' } }, schema)).toEqual({ name: 'a', size: 1 });
});

test.each([
  [undefined, ['name']],
  [null, ['name']],
  [{ name: 7 }, ['name']],
  [{ name: 'a', size: 0 }, ['size']],
  [{ size: 1.5, other: true }, ['name', 'size', 'other']],
  [[], ['']],
  ['text', ['']],
])('names every field that is wrong in %j', (body, paths) => {
  expect.assertions(2);
  try {
    readBody({ body }, schema);
  } catch (error) {
    const refusal = error instanceof Refusal ? error.error : null;
    expect(refusal?.family).toBe('INVALID_PARAMS');
    expect(new Set(refusal?.details?.map(({ path }) => path))).toEqual(new Set(paths));
  }
});
