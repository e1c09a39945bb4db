import { describe, expect, test } from '@jest/globals';
import { pageOf, type Part } from './pages.js';

const part = (name: string, count: number): Part<string> => ({ name, entries: Array.from({ length: count }, (_, at) => `${name}${at}`) });

function all(...versions: readonly (readonly Part<string>[])[]): { readonly seen: string[]; readonly sizes: number[] } {
  const [seen, sizes]: [string[], number[]] = [[], []];
  let cursor: string | undefined;
  for (let page = 0; page === 0 || cursor !== undefined; page++) {
    const { entries, nextCursor } = pageOf(versions[Math.min(page, versions.length - 1)] ?? [], cursor);
    seen.push(...entries);
    sizes.push(entries.length);
    cursor = nextCursor;
  }
  return { seen, sizes };
}

describe('a list of several parts', () => {
  test.each([
    ['nothing', [], [0]],
    ['one page', [part('a', 1_000)], [1_000]],
    ['one more than a page', [part('a', 1_000), part('b', 1)], [1_000, 1]],
    ['pages that end within a part', [part('', 3), part('a', 1_500), part('b', 700)], [1_000, 1_000, 203]],
  ])('%s: each entry comes once', (_what, parts, sizes) => {
    const { seen, sizes: had } = all(parts);
    expect(had).toEqual(sizes);
    expect(seen).toEqual(parts.flatMap(({ entries }) => entries));
  });

  test('is in the order of the names, whatever order the parts come in', () => {
    expect(all([part('b', 2), part('', 1), part('a', 1)]).seen).toEqual(['0', 'a0', 'b0', 'b1']);
  });

  test('a part that comes or goes between two pages moves no other', () => {
    const [before, after] = [
      [part('b', 900), part('d', 300)],
      [part('a', 5), part('b', 900), part('c', 7), part('d', 300)],
    ];
    const come = all(before, after).seen;
    expect(come.filter((entry) => !/^[ac]/.test(entry))).toEqual(before.flatMap(({ entries }) => entries));
    const gone = all(after, [part('d', 300)]).seen;
    expect(gone.filter((entry) => entry.startsWith('d'))).toEqual(part('d', 300).entries);
  });

  test.each(['', 'x', '!', Buffer.from('[1,2]').toString('base64url'), Buffer.from('["a",-1]').toString('base64url'), 'e30'])(
    'refuses the cursor %j',
    (cursor) => expect(() => pageOf([part('a', 1)], cursor)).toThrow("'cursor' is none of this list"),
  );
});
