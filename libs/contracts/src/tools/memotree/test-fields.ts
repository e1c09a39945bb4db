// The cases of fields that several MemoTree operations have, for the tests of their contracts.
import { memotreeLimits as limits } from './vocabulary.js';

const notStorable = 'must be text: without the character U+0000 and without halves of surrogate pairs';
const workspaceRule = 'must have 1–100 letters, digits or _ . : -';
const branchRule = 'must have 1–100 letters, digits or _ . / -';

/** A text of at most so many code points, empty allowed. */
export const textCases = (most: number, byDefault?: string) =>
  ({
    byDefault,
    takes: ['', 'a'.repeat(most), '😀'.repeat(most), '记忆'],
    refuses: [
      ['a'.repeat(most + 1), `must have at most ${most} characters`],
      ['😀'.repeat(most + 1), `must have at most ${most} characters`],
      ['a\0b', notStorable],
      ['half \ud83d of a pair', notStorable],
      [1, 'must be string, not number'],
    ],
  }) as const;

export const workspace = {
  byDefault: undefined,
  takes: ['team', '~mine', '团队', 'a.b:c-d_e', 'a'.repeat(100)],
  refuses: [
    ['', workspaceRule],
    ['a b', workspaceRule],
    ['a/b', workspaceRule],
    ['../x', workspaceRule],
    ['~', workspaceRule],
    ['a'.repeat(101), workspaceRule],
    [1, 'must be string, not number'],
  ],
} as const;

export const viewName = {
  byDefault: 'default',
  takes: ['plan', '视图', 'a'.repeat(100)],
  refuses: [
    ['', workspaceRule],
    ['~mine', workspaceRule],
    ['a'.repeat(101), workspaceRule],
  ],
} as const;

export const nodeId = {
  takes: ['root', '3fa4c1d20b7e', 'n'.repeat(limits.idChars)],
  refuses: [
    ['', 'must have at least 1 character'],
    ['n'.repeat(limits.idChars + 1), `must have at most ${limits.idChars} characters`],
    ['a\0', notStorable],
    ['\udc00', notStorable],
    [7, 'must be string, not number'],
  ],
} as const;

export const branch = {
  takes: ['main', 'feature/x', '分支', '1.0', 'a'.repeat(100)],
  refuses: [
    ['', branchRule],
    ['/x', branchRule],
    ['-x', branchRule],
    ['a b', branchRule],
    ['a'.repeat(101), branchRule],
    ['a\0', branchRule],
  ],
} as const;

export const commitRef = {
  takes: ['main', '5d41402', 'v1', 'r'.repeat(100)],
  refuses: [
    ['', 'must have at least 1 character'],
    ['r'.repeat(101), 'must have at most 100 characters'],
    ['r\0', notStorable],
  ],
} as const;

/** One of these words in any case, or its place in the list (C-65). */
export const wordCases = (words: readonly string[], byDefault?: string) => ({
  byDefault,
  takes: words,
  takesAs: words.flatMap((word, index): (readonly [unknown, string])[] => [
    [word.toLowerCase(), word],
    [word.toUpperCase(), word],
    [` ${word} `, word],
    [index, word],
    [String(index), word],
  ]),
  refuses: ['no-such-word', '', words.length, -1, 0.5, true, '00'].map((value) => [value, `must be one of [${words.join(', ')}]`] as const),
});

export const commitMessage = textCases(limits.messageChars, '');

export const tags = {
  takes: [[], ['queue'], ['t'.repeat(limits.tagChars)], Array.from({ length: limits.tags }, (_, n) => `t${n}`)],
  takesAs: [
    [
      [' a ', 'a', 'b'],
      ['a', 'b'],
    ],
    [Array.from({ length: limits.tags + 5 }, () => 'same'), ['same']],
  ],
  refuses: [
    [Array.from({ length: limits.tags + 1 }, (_, n) => `t${n}`), `must have at most ${limits.tags} items`],
    [['t'.repeat(limits.tagChars + 1)], `Parameter 'tags.0' must have at most ${limits.tagChars} characters`],
    [['ok', ' '], "Parameter 'tags.1' must have at least 1 character"],
    [['a\0'], notStorable],
    ['queue', 'must be array, not string'],
  ],
} as const;

export const flag = (byDefault: boolean) =>
  ({
    byDefault,
    takes: [true, false],
    refuses: [
      ['true', 'must be boolean, not string'],
      [1, 'must be boolean, not number'],
    ],
    query: [
      ['true', true],
      ['false', false],
    ],
  }) as const;

/** A whole number within bounds. */
export const count = (min: number, max: number, byDefault: number) =>
  ({
    byDefault,
    takes: [min, max],
    refuses: [
      [min - 1, `must be at least ${min}`],
      [max + 1, `must be at most ${max}`],
      [min + 0.5, 'must be integer, not number'],
      [String(min), 'must be integer, not string'],
    ],
    query: [[String(max), max]],
  }) as const;

/** The same for a field that must be given. */
export function required<Cases extends object>(cases: Cases): Cases & { readonly required: true } {
  return { ...cases, required: true };
}

/** The same for a field without a default. */
export function optional<Cases extends object>(cases: Cases): Cases & { readonly byDefault: undefined } {
  return { ...cases, byDefault: undefined };
}
