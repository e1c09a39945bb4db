import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UsageError } from '#lib/command-line';
import { calcMetrics, toDefinition, type JsonSchema } from '#lib/contracts';
import { toolHelp, readCallArguments } from './tool-options.js';

const schema: JsonSchema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    share: { type: 'number' },
    short: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'number' } },
    where: { type: 'object' },
    maybe: { anyOf: [{ type: 'number' }, { type: 'null' }] },
  },
};
const parametersOf = (...args: string[]) => readCallArguments(args, schema).parameters;

test('values are read by the types of their parameters', () => {
  expect(parametersOf('--city', 'São Paulo', '--days=3', '--share', '-0.5', '--maybe', '4')).toEqual({
    city: 'São Paulo',
    days: 3,
    share: -0.5,
    maybe: 4,
  });
  expect(parametersOf('--short', '--tags', 'a,b', '--tags=c', '--sizes', '1,2')).toEqual({
    short: true,
    tags: ['a', 'b', 'c'],
    sizes: [1, 2],
  });
  expect(parametersOf('--short', 'false', '--where', '{"a":1}')).toEqual({ short: false, where: { a: 1 } });
});

test.each([
  [['--nothing', '1'], /nothing/],
  [['--days', 'three'], /--days must be a number, not 'three'/],
  [['--days', ''], /--days must be a number/],
  [['--where', '{a'], /--where must be JSON/],
  [['city'], /city/],
])('%j is a usage error that names the option', (args, message) => {
  expect(() => readCallArguments(args, schema)).toThrow(UsageError);
  expect(() => readCallArguments(args, schema)).toThrow(message);
});

test('options of the command are kept apart from parameters', () => {
  const { own, parameters } = readCallArguments(['--json', '--version', '^2', '--city', 'x'], schema);
  expect([own, parameters]).toEqual([{ json: true, version: '^2' }, { city: 'x' }]);
});

test('whatever a text parameter is given arrives as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parametersOf(`--city=${text}`)).toEqual({ city: text });
    }),
  );
});

test('help names every parameter with its type and range', () => {
  const { name, description, parameters } = toDefinition(calcMetrics);
  const help = toolHelp(name, description, parameters);
  expect(help).toMatch(/--height_cm <number> {2}\(required\)\n {6}Height in centimetres, 100–250/);
  expect(help).toMatch(/--gender <male\|female>/);
});
