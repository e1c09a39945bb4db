import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { defineTool, type ToolContract } from './define-tool.js';
import { Refusal, type ToolError } from './errors.js';
import { calcMetrics } from './tools/profile/calc-metrics.js';
import { validateInput } from './validate.js';

const good = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };

function refused(contract: ToolContract, input: unknown): ToolError {
  try {
    validateInput(contract, input);
  } catch (error) {
    if (error instanceof Refusal) return error.error;
    throw error;
  }
  throw new Error('was accepted');
}

const sample = defineTool({
  name: 'sample',
  version: '1.0.0',
  title: 'Sample',
  description: 'A tool with a parameter of every kind.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({
    text: z.string().max(3).optional().describe('Text.'),
    count: z.int().optional().describe('Count.'),
    ratio: z.number().optional().describe('Ratio.'),
    flag: z.boolean().optional().describe('Flag.'),
    list: z.array(z.int()).optional().describe('List.'),
    nested: z.strictObject({ inner: z.string() }).optional().describe('Nested.'),
    place: z
      .string()
      .regex(/^[A-Z]+$/, 'Invalid location format')
      .optional()
      .describe('Place.'),
  }),
  output: z.strictObject({}),
  errors: {},
  nativeCodes: { INVALID_PARAMS: (faults) => (faults.some(({ path }) => path === 'text') ? 'TEXT_BAD' : 'INPUT_BAD') },
  timeoutMs: 1_000,
  estimatedTokens: 10,
  examples: [{ input: {}, output: {} }],
});

describe('messages', () => {
  test.each([
    [{ ...good, weight_kg: undefined }, 'weight_kg', 'Missing required parameter: weight_kg'],
    [{ ...good, gender: undefined }, 'gender', 'Missing required parameter: gender'],
    [{ ...good, height_cm: '170' }, 'height_cm', "Parameter 'height_cm' must be number, not string"],
    [{ ...good, height_cm: null }, 'height_cm', "Parameter 'height_cm' must be number, not null"],
    [{ ...good, age: '30' }, 'age', "Parameter 'age' must be integer, not string"],
    [{ ...good, age: true }, 'age', "Parameter 'age' must be integer, not boolean"],
    [{ ...good, age: 30.5 }, 'age', "Parameter 'age' must be integer, not number"],
    [{ ...good, height_cm: 99.99 }, 'height_cm', "Parameter 'height_cm' must be at least 100"],
    [{ ...good, height_cm: 250.01 }, 'height_cm', "Parameter 'height_cm' must be at most 250"],
    [
      { ...good, activity_level: 'high' },
      'activity_level',
      "Parameter 'activity_level' must be one of [sedentary, light, moderate, active, very_active]",
    ],
    [{ ...good, extra: 1 }, 'extra', 'Unexpected parameter: extra'],
  ])('%j', (input, path, message) => {
    const error = refused(calcMetrics, JSON.parse(JSON.stringify(input)));
    expect(error).toMatchObject({ code: 'INVALID_PARAMS', native_code: 'INVALID_INPUT', message, details: [{ path, message }] });
  });

  test('a gender that the equations do not know is answered with what to do', () => {
    expect(refused(calcMetrics, { ...good, gender: 'other' }).message).toMatch(/must be one of \[male, female\].*ask which/);
  });

  test('every fault is named, not only the first', () => {
    const { details } = refused(calcMetrics, { age: 0, foo: 1, bar: 2 });
    expect(details?.map(({ path }) => path).toSorted()).toEqual([
      'activity_level',
      'age',
      'bar',
      'foo',
      'gender',
      'height_cm',
      'weight_kg',
    ]);
  });

  test.each([[[]], [null], ['text'], [7]])('%j is no parameter object', (input) => {
    expect(refused(calcMetrics, input).message).toMatch(/must be a JSON object/);
  });

  test('nested faults have dotted paths, and a contract’s own message stays', () => {
    expect(refused(sample, { nested: {} }).details).toEqual([
      { path: 'nested.inner', message: 'Missing required parameter: nested.inner' },
    ]);
    expect(refused(sample, { nested: { inner: 'a', more: 1 } }).message).toBe('Unexpected parameter: nested.more');
    expect(refused(sample, { list: [1, 'x'] }).details?.[0]?.path).toBe('list.1');
    expect(refused(sample, { text: 'long' }).message).toBe("Parameter 'text' must have at most 3 characters");
    expect(refused(sample, { place: 'x;y' }).message).toBe('Invalid location format');
  });

  test('the literal of the source follows from the fault', () => {
    expect(refused(sample, { text: 1 }).native_code).toBe('TEXT_BAD');
    expect(refused(sample, { count: 'x' }).native_code).toBe('INPUT_BAD');
  });

  test('a stranger’s name is quoted short and printable', () => {
    const { message } = refused(calcMetrics, { ...good, [`\u001b[31m${'x'.repeat(500)}`]: 1 });
    expect(message.length).toBeLessThan(150);
    expect(message).not.toMatch(/\p{Cc}/u);
  });
});

test('what JSON can hold is either accepted or refused, never anything else', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      try {
        validateInput(sample, value);
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal);
      }
    }),
  );
});
