import { expect, test } from '@jest/globals';
import { jestArguments } from './test-arguments.js';

const [long, timing, integration, plain] = ['a.long.test.ts', 'a.timing.test.ts', 'a.integration.test.ts', 'long.test.ts'];

/** Which of the files a run of these arguments takes, as jest would. */
function filesOf(args: readonly string[]): readonly string[] {
  const patterns = args.slice(1).map((pattern) => new RegExp(pattern));
  const matches = (file: string) => patterns.some((pattern) => pattern.test(file));
  return [long, timing, integration, plain].filter((file) => matches(file) === (args[0] === '--testPathPatterns'));
}

test('without arguments all run but the long ones and those of time', () => {
  const { args, isWholeRun } = jestArguments([]);
  expect([filesOf(args), isWholeRun]).toEqual([[integration, plain], true]);
});

test('--long runs the others', () => {
  const { args, isWholeRun } = jestArguments(['--long']);
  expect([filesOf(args), isWholeRun]).toEqual([[long, timing], true]);
});

test('--long passes the other arguments on', () => {
  expect(jestArguments(['--long', '--shard=1/4'])).toMatchObject({ args: expect.arrayContaining(['--shard=1/4']), isWholeRun: false });
});

test.each([[[long]], [['-t', 'a name']]])('%j goes to jest as it is', (asked) => {
  expect(jestArguments(asked)).toEqual({ args: asked, isWholeRun: false });
});
