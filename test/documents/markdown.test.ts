import { expect, test } from '@jest/globals';
import { anchorOf, parseMarkdown } from './markdown.js';

const markdown = [
  '# Title with `code`',
  '',
  'See [the list](docs/list.md#part) and `npm start`.',
  '',
  '```sh',
  'echo 1',
  'echo 2',
  '```',
  '',
  '<!-- not run: needs a browser -->',
  '',
  '```ts file=apps/a.ts',
  'export const a = 1;',
  '```',
  '',
  '## Second',
  '',
  '1. An item:',
  '',
  '   ```json',
  '   { "a": 1 }',
  '   ```',
].join('\n');

test('a block knows its document, line, heading, language and text, also inside a list', () => {
  const { blocks } = parseMarkdown('x.md', markdown);
  expect(blocks.map(({ document, line, heading, language, text }) => ({ document, line, heading, language, text }))).toEqual([
    { document: 'x.md', line: 5, heading: 'Title with code', language: 'sh', text: 'echo 1\necho 2\n' },
    { document: 'x.md', line: 12, heading: 'Title with code', language: 'ts', text: 'export const a = 1;\n' },
    { document: 'x.md', line: 20, heading: 'Second', language: 'json', text: '{ "a": 1 }\n' },
  ]);
});

test('a marker with its reason belongs to the next block and to no other', () => {
  expect(parseMarkdown('x.md', markdown).blocks.map(({ notRun }) => notRun)).toEqual([null, 'needs a browser', null]);
});

test('a block says in its attributes which file it is', () => {
  expect(parseMarkdown('x.md', markdown).blocks.map(({ attributes }) => attributes)).toEqual([{}, { file: 'apps/a.ts' }, {}]);
});

test('inline code, links and headings are found with their lines', () => {
  const { inlineCode, links, headings } = parseMarkdown('x.md', markdown);
  expect(inlineCode).toEqual([
    { line: 1, text: 'code' },
    { line: 3, text: 'npm start' },
  ]);
  expect(links).toEqual([{ line: 3, text: 'docs/list.md#part' }]);
  expect(headings).toEqual(['Title with code', 'Second']);
});

test.each([
  ['Add a tool', 'add-a-tool'],
  ['WorkerDown, NoWorker, GatewayDown', 'workerdown-noworker-gatewaydown'],
  ['Memory (MemoTree)', 'memory-memotree'],
  ['0009 Fencing by run number; the first end wins', '0009-fencing-by-run-number-the-first-end-wins'],
])('the anchor of %j is %s', (heading, anchor) => {
  expect(anchorOf(heading)).toBe(anchor);
});
