import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Refusal } from '#lib/contracts';
import { optionNames, parseOptions } from './options.js';

const defaults = {
  enable_cache: true,
  enable_retry: true,
  enable_streaming: true,
  debug: false,
  inline_files: true,
  metacognition: false,
};

function faultsOf(given: unknown): readonly { path: string; message: string }[] {
  try {
    parseOptions(given);
    return [];
  } catch (error) {
    if (error instanceof Refusal) return error.error.details ?? [];
    throw error;
  }
}

test.each([undefined, null, {}, { order: 'a parameter is no option' }])('%j gives the defaults', (given) => {
  expect(parseOptions(given)).toEqual(defaults);
});

describe.each(['enable_cache', 'enable_retry', 'enable_streaming', 'debug', 'inline_files', 'metacognition'])('%s', (name) => {
  test.each([
    [true, true],
    ['true', true],
    ['1', true],
    [false, false],
    ['false', false],
    ['0', false],
  ])('%j is %j', (given, read) => {
    expect(parseOptions({ [name]: given })).toEqual({ ...defaults, [name]: read });
  });

  test.each(['yes', 'TRUE', '', 1, 0, null, [true], { on: true }])('%j is refused, and the message names it', (given) => {
    expect(faultsOf({ [name]: given })).toEqual([{ path: name, message: `Parameter '${name}' must be true or false` }]);
  });
});

describe('personality', () => {
  test('is an object, or the text of one', () => {
    expect(parseOptions({ personality: { tone: 'calm' } }).personality).toEqual({ tone: 'calm' });
    expect(parseOptions({ personality: '{"tone":"calm"}' }).personality).toEqual({ tone: 'calm' });
  });

  test.each(['', 'calm', '[1]', 'null', '{', 7, true, ['calm']])('%j is refused as no JSON object', (personality) => {
    expect(faultsOf({ personality })).toEqual([{ path: 'personality', message: "Parameter 'personality' must be a JSON object" }]);
  });

  test('of any text is read or refused, and never throws anything else', () => {
    fc.assert(fc.property(fc.string(), (personality) => Array.isArray(faultsOf({ personality }))));
  });
});

describe('a time', () => {
  test('is one of RFC 3339 with an offset, or whole milliseconds, as a number or as its text', () => {
    expect(parseOptions({ run_at: '2030-01-31T09:00:00+02:00' }).run_at).toBe('2030-01-31T09:00:00+02:00');
    expect([parseOptions({ delay_ms: 5 }).delay_ms, parseOptions({ delay_ms: '5' }).delay_ms]).toEqual([5, 5]);
  });

  test.each([
    [{ run_at: '2030-01-31T09:00:00' }, 'run_at'],
    [{ run_at: '2030-02-30T09:00:00Z' }, 'run_at'],
    [{ run_at: 0 }, 'run_at'],
    [{ delay_ms: -1 }, 'delay_ms'],
    [{ delay_ms: 0.5 }, 'delay_ms'],
    [{ delay_ms: '1e3' }, 'delay_ms'],
    [{ delay_ms: null }, 'delay_ms'],
    [{ delay_ms: 367 * 86_400_000 }, 'delay_ms'],
    [{ callback_url: 'example.com' }, 'callback_url'],
    [{ callback_url: 'ftp://example.com/' }, 'callback_url'],
    [{ callback_url: 'https://example.com/ a' }, 'callback_url'],
    [{ callback_url: `https://example.com/${'x'.repeat(2_048)}` }, 'callback_url'],
    [{ callback_url: 1 }, 'callback_url'],
  ])('%j is refused, and the message names it', (given, name) => {
    expect(faultsOf(given)).toEqual([{ path: name, message: expect.stringContaining(`Parameter '${name}' must be`) }]);
  });
});

test('every wrong option is named at once', () => {
  expect(faultsOf({ debug: 'x', enable_cache: 'y' }).map(({ path }) => path)).toEqual(['enable_cache', 'debug']);
});

test('the names of all options are known, so that no query parameter is taken for a tool’s', () => {
  expect([...optionNames].toSorted()).toEqual([...Object.keys(defaults), 'personality', 'run_at', 'delay_ms', 'callback_url'].toSorted());
});
