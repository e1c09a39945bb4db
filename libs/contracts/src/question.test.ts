import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { checkedContent, questionFault, questionOf } from './question.js';

const fields = z.object({
  name: z.string().min(1).max(20),
  mail: z.email().optional(),
  day: z.iso.date().optional(),
  count: z.int().min(1).max(9).default(2),
  price: z.number().optional(),
  sure: z.boolean(),
  size: z.enum(['s', 'm', 'l']).optional(),
  colours: z
    .array(z.enum(['red', 'blue']))
    .max(2)
    .optional(),
});

describe('the schema of a question', () => {
  test('may have all fields of a form', () => {
    expect(questionOf('What?', fields).schema).toMatchObject({ type: 'object', required: ['name', 'sure'] });
    expect(questionOf('Sure?').schema).toMatchObject({ type: 'object', properties: {} });
  });

  test.each([
    ['an object in it', z.object({ deep: z.object({ a: z.string() }) }), 'plain fields: "deep"'],
    ['a list of texts', z.object({ texts: z.array(z.string()) }), 'plain fields: "texts"'],
    ['anything', z.object({ any: z.unknown() }), 'plain fields: "any"'],
    ['either of two', z.object({ either: z.union([z.string(), z.number()]) }), 'plain fields: "either"'],
    ['too much text', z.object({ a: z.string().describe('x'.repeat(20_000)) }), 'more than 16384 bytes'],
    ['too many fields', z.object(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, z.string()]))), 'more than 50 fields'],
  ])('has not %s', (_what, schema, fault) => {
    expect(() => questionOf('What?', schema)).toThrow(fault);
  });

  test('of a stranger is never taken for one that it is not, and never throws', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (schema) => {
        const fault = questionFault(schema);
        if (fault === null) expect(schema['type']).toBe('object');
        else expect(fault).not.toBe('');
      }),
    );
    expect(questionFault({ type: 'object', properties: { a: { type: 'string', $ref: '#/nowhere' } } })).not.toBeNull();
  });
});

describe('the content of an answer', () => {
  const { schema } = questionOf('What?', fields);

  test('is what the schema asks for, with its defaults', () => {
    expect(checkedContent(schema, { name: 'Ada', sure: true, colours: ['red'] })).toEqual({
      name: 'Ada',
      sure: true,
      colours: ['red'],
      count: 2,
    });
  });

  test.each([
    [{ name: 'Ada' }, 'content.sure'],
    [{ name: 'Ada', sure: true, nam: 1 }, 'content.nam'],
    [{ name: '', sure: true }, 'content.name'],
    [{ name: 'Ada', sure: 'yes' }, 'content.sure'],
    [{ name: 'Ada', sure: true, count: 10 }, 'content.count'],
    [{ name: 'Ada', sure: true, mail: 'no' }, 'content.mail'],
    [{ name: 'Ada', sure: true, size: 'xl' }, 'content.size'],
    [{ name: 'Ada', sure: true, colours: ['green'] }, 'content.colours'],
  ])('%j is refused by name', (content, path) => {
    expect(() => checkedContent(schema, content)).toThrow(path);
  });
});
