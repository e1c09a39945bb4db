import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UsageError } from '#lib/command-line';
import { defineCommand, oneOf, wholeNumber, type Arguments } from './command.js';

const options = {
  name: { type: 'string', value: '<name>', help: 'a name' },
  tag: { type: 'string', value: '<tag>', multiple: true, help: 'tags' },
  quick: { type: 'boolean', short: 'q', help: 'be quick' },
  headings: { type: 'boolean', default: true, help: 'without headings' },
} as const;

async function parse(positionals: readonly string[], ...args: readonly string[]): Promise<Arguments<typeof options>> {
  const seen: Arguments<typeof options>[] = [];
  await defineCommand({ positionals, options, run: async (given) => void seen.push(given) }).run(args);
  const [given] = seen;
  if (!given) throw new Error('the command did not run');
  return given;
}

test('options and positional arguments may be mixed; defaults fill the rest', async () => {
  const { values, positionals } = await parse(['<a>', '[b]'], 'first', '--name=x', '--tag', 't1', 'second', '-q', '--tag', 't2');
  expect({ ...values }).toEqual({ name: 'x', tag: ['t1', 't2'], quick: true, headings: true });
  expect(positionals).toEqual(['first', 'second']);
});

test('an option that is on by default is switched off with --no-', async () => {
  expect((await parse([], '--no-headings')).values.headings).toBe(false);
});

test('what follows -- is a positional argument, whatever it looks like', async () => {
  expect((await parse(['<file>…'], '--', '--name', '-q')).positionals).toEqual(['--name', '-q']);
});

test.each<[readonly string[], readonly string[], RegExp]>([
  [['<file>'], [], /^<file> is missing$/],
  [['<file>…'], [], /^<file> is missing$/],
  [['<a>', '<b>'], ['x'], /^<b> is missing$/],
  [['<a>'], ['x', 'y'], /^Unexpected argument 'y'$/],
  [[], ['x'], /^Unexpected argument 'x'$/],
  [['<a>', '[b]'], ['x', 'y', 'z'], /^Unexpected argument 'z'$/],
  [[], ['--unknown'], /--unknown/],
  [[], ['--name'], /--name/],
  [[], ['--quick=yes'], /--quick/],
])('of %j, %j is a usage error', async (positionals, args, message) => {
  const run = (async () => parse(positionals, ...args))();
  await expect(run).rejects.toThrow(UsageError);
  await expect(run).rejects.toThrow(message);
});

test.each<[readonly string[], readonly string[]]>([
  [['[b]'], []],
  [['<a>', '[b]'], ['x']],
  [['<file>…'], ['x', 'y', 'z']],
])('of %j, %j is right', async (positionals, args) => {
  expect((await parse(positionals, ...args)).positionals).toEqual(args);
});

test('the help is made of the options and the notes', () => {
  const command = defineCommand({ positionals: ['<file>'], options, notes: 'More.\n', run: async () => undefined });
  expect(command.usage).toBe('<file> [options]');
  expect(command.help).toBe(`  --name <name>          a name
  --tag <tag>            tags
  -q, --quick            be quick
  --no-headings          without headings

More.`);
  expect(defineCommand({ options: {}, run: async () => undefined })).toMatchObject({ usage: '', help: '' });
});

test('a whole number is taken inside of its range, both ends included, and nothing else', () => {
  const read = (text: string | undefined) => wholeNumber('--limit', text, { min: 1, max: 100 });
  expect([read(undefined), read('1'), read('100'), read('007')]).toEqual([undefined, 1, 100, 7]);
  for (const wrong of ['0', '101', '-1', '1.5', '1e1', '', ' 1', 'many', '9999999999'])
    expect(() => read(wrong)).toThrow(`--limit must be a whole number from 1 to 100, not '${wrong}'`);
  fc.assert(fc.property(fc.integer({ min: 1, max: 100 }), (number) => expect(read(String(number))).toBe(number)));
  const year = 366 * 86_400_000;
  expect(wholeNumber('--delay-ms', String(year), { min: 0, max: year })).toBe(year);
});

test('one of several values is taken as it is written', () => {
  expect([oneOf('--tier', undefined, ['free', 'pro']), oneOf('--tier', 'pro', ['free', 'pro'])]).toEqual([undefined, 'pro']);
  for (const wrong of ['Pro', '', 'pr'])
    expect(() => oneOf('--tier', wrong, ['free', 'pro'])).toThrow(`--tier must be one of free, pro, not '${wrong}'`);
});
