// Texts that are written to make a parser slow, through the processes in which the worker reads them.
import { afterAll, expect, test } from '@jest/globals';
import { Rejection } from '../rejection.js';
import { Texts } from './texts.js';

const texts = new Texts(process.cwd());
afterAll(() => texts.close());
const call = { tenant: 't', signal: new AbortController().signal, chars: 0, advice: "'files': import fewer" };
const fill = (unit: string, chars = 100_000): string => unit.repeat(Math.ceil(chars / unit.length));

async function outline(text: string) {
  const read = await texts.run('outline', { files: [{ path: 'a.md', text }], headings: true }, call);
  return 'value' in read ? read.value : read.refused;
}

test('an ordinary text is read', async () => {
  expect(await outline('# A\n\n[[B]]\n\n## B\n\ntext')).toMatchObject([
    { title: 'A', content: '[[B]]', links: [{ target: { name: 'B' } }], children: [{ title: 'B', content: 'text' }] },
  ]);
});

test.each(['- ', '> ', '1. '])('lists and quotations of %j without end are refused by their depth', async (unit) => {
  expect(await outline(`# a\n${fill(unit)}`)).toMatch(/deep; at most 100 are read/);
});

// One is large enough to be refused for its time.
test.each([
  ['*a_ ', 100_000],
  ['<?', 100_000],
  ['[a](', 20_000],
  [`${'- '.repeat(20)}a\n`, 20_000],
])(
  '%j again and again in %d characters is read, or refused in time, and the next text is read',
  async (unit, chars) => {
    const read = await outline(`# a\n${fill(unit, chars)}`).catch((error: unknown) => error);
    if (read instanceof Error) {
      expect(read).toBeInstanceOf(Rejection);
      expect(read.message).toBe("Reading the text takes more than 2 s. Change 'files': import fewer");
    }
    expect(await outline('# A')).toMatchObject([{ title: 'A' }]);
  },
  60_000,
);

test('a front matter in which each name stands for ten others is text, or refused', async () => {
  const lines = Array.from(
    { length: 40 },
    (_, n) => `a${n}: &a${n} [${Array.from({ length: 10 }, () => (n === 0 ? 'x' : `*a${n - 1}`)).join(',')}]`,
  );
  const read = await outline(`---\n${lines.join('\n')}\n---\n\ntext`).catch((error: unknown) => error);
  if (read instanceof Error) expect(read).toBeInstanceOf(Rejection);
  else expect(read).toMatchObject([{ content: expect.stringContaining('&a39') }]);
});

test('merges of one text are made on each other, and one that is refused changes nothing', async () => {
  const merged = await texts.run(
    'merge',
    [
      { textId: 'n', present: '# A\n\n1', given: '# B\n\n2' },
      { textId: 'n', present: 'ignored', given: `# C\n\n${'> '.repeat(101)}x` },
      { textId: 'n', present: 'ignored', given: '# A\n\n3' },
      { textId: 'm', present: '', given: '# A' },
    ],
    call,
  );
  expect(merged).toEqual([
    { present: '# A\n\n1', text: { value: '# A\n\n1\n\n# B\n\n2' } },
    { present: '# A\n\n1\n\n# B\n\n2', text: { refused: expect.stringMatching(/101 deep/) } },
    { present: '# A\n\n1\n\n# B\n\n2', text: { value: '# A\n\n3\n\n# B\n\n2' } },
    { present: '', text: { value: '# A' } },
  ]);
});
