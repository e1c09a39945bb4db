import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { applySamples } from './apply-samples.js';
import { parseMarkdown } from './markdown.js';

const apply = (attribute: string, text: string, root: string) =>
  applySamples(parseMarkdown('x.md', `\`\`\`ts ${attribute}\n${text}\n\`\`\``).blocks, root);

test('a block with a file becomes that file, folders included', () => {
  using root = mkdtempDisposableSync(join(tmpdir(), 'samples-'));
  expect(apply('file=a/b.ts', 'export const b = 1;', root.path)).toEqual(['a/b.ts']);
  expect(readFileSync(join(root.path, 'a/b.ts'), 'utf8')).toBe('export const b = 1;\n');
});

test('a new file does not replace one that exists', () => {
  using root = mkdtempDisposableSync(join(tmpdir(), 'samples-'));
  writeFileSync(join(root.path, 'b.ts'), 'old');
  expect(() => apply('file=b.ts', 'new', root.path)).toThrow(/EEXIST/);
});

test('lines are inserted before the end of a table', () => {
  using root = mkdtempDisposableSync(join(tmpdir(), 'samples-'));
  writeFileSync(join(root.path, 'table.ts'), 'const table = {\n  a: 1,\n} as const;\n\nexport type Name = keyof typeof table;\n');
  apply('insert=table.ts', '  b: 2,', root.path);
  expect(readFileSync(join(root.path, 'table.ts'), 'utf8')).toContain('  a: 1,\n  b: 2,\n} as const;\n');
});

test.each([
  ['insert=nowhere.ts', /ENOENT/],
  ['insert=flat.ts', /no line that begins with }/],
])('%s is an error', (attribute, message) => {
  using root = mkdtempDisposableSync(join(tmpdir(), 'samples-'));
  writeFileSync(join(root.path, 'flat.ts'), 'export const a = 1;\n');
  expect(() => apply(attribute, 'text', root.path)).toThrow(message);
});
