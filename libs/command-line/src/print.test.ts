import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { describeError, isUsageError } from './run-script.js';
import { CommandError, UsageError } from './errors.js';
import { formatSeconds, print, printError, step } from './print.js';
import { listenForStop } from './stop-signal.js';

let written: string[];

beforeEach(() => {
  written = [];
  for (const [name, stream] of [['out', process.stdout] as const, ['error', process.stderr] as const])
    jest.spyOn(stream, 'write').mockImplementation((text) => written.push(`${name}: ${String(text)}`) > 0);
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

test('lines go to standard output, errors to standard error', () => {
  print('done');
  printError('failed');
  expect(written).toEqual(['out: done\n', 'error: failed\n']);
});

test('control characters of a text are shown and not sent to the terminal', () => {
  print('12 % \u001b[2Jdone\r\u009b31m\ta tab\nand a line');
  printError('\u0007');
  expect(written).toEqual(['out: 12 % \\u001b[2Jdone\\u000d\\u009b31m\ta tab\nand a line\n', 'error: \\u0007\n']);
});

test('JSON keeps its value, whatever its texts hold', () => {
  const value = { text: 'a\u0000\u001b\u007f\u0085\u009b\u2028' };
  print(JSON.stringify(value, null, 2));
  expect(JSON.parse(written.join('').replace('out: ', ''))).toEqual(value);
});

test.each([
  [0, '0.0 s'],
  [49, '0.0 s'],
  [1_349, '1.3 s'],
  [61_000, '61.0 s'],
])('%d ms read as %s', (ms, text) => {
  expect(formatSeconds(ms)).toBe(text);
});

test.each([
  [999, ['out:   ✓ Schema  1.0 s\n']],
  [1_001, ['out:   … Schema\n', 'out:   ✓ Schema  1.0 s\n']],
])('a step of %d ms is announced only after a second', async (ms, lines) => {
  jest.useFakeTimers({ now: 0 });
  const work = step('Schema', () => new Promise((resolve) => setTimeout(resolve, ms, 'result')));
  await jest.advanceTimersByTimeAsync(ms);
  expect(await work).toBe('result');
  expect(written).toEqual(lines);
});

test('a step that fails is not told as done', async () => {
  await expect(step('Schema', () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
  expect(written).toEqual([]);
});

test('errors with advice are told by their message, faults of ours by their stack', () => {
  expect(describeError(new CommandError('Start Redis'))).toBe('error: Start Redis');
  expect(describeError(new UsageError('--x is wrong'))).toBe('error: --x is wrong');
  expect(describeError(new TypeError('x is undefined'))).toMatch(/^TypeError: x is undefined\n +at /);
  expect(describeError('text')).toBe('text');
});

test.each([
  [new UsageError('x'), true],
  [Object.assign(new Error('x'), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' }), true],
  [new CommandError('x'), false],
  [Object.assign(new Error('x'), { code: 'ENOENT' }), false],
  ['x', false],
])('%p is wrong usage: %p', (error, expected) => {
  expect(isUsageError(error)).toBe(expected);
});

test.each([
  [500, 'SIGINT', 0],
  [501, 'SIGINT', 1],
  [501, 'SIGTERM', 1],
  // The parent may end at any time after the first request.
  [9_999, 'disconnect', 0],
] as const)('%d ms after the first request to stop, %s is a second one %d times', (ms, event, times) => {
  const listeners = new Map(['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'].map((name) => [name, process.rawListeners(name)]));
  const [onStop, onSecondStop] = [jest.fn(), jest.fn()];
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  try {
    listenForStop({ onStop, onSecondStop });
    process.emit('SIGINT');
    now.mockReturnValue(1_000 + ms);
    process.emit(event as 'SIGINT');
    expect([onStop.mock.calls.length, onSecondStop.mock.calls.length]).toEqual([1, times]);
  } finally {
    for (const [name, before] of listeners)
      for (const listener of process.rawListeners(name))
        if (!before.includes(listener)) process.removeListener(name, listener as () => void);
  }
});
