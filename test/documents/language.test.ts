// `npm run check` holds documents to the rules of scripts/check-language.mjs: here each rule sees a fault that breaks it.
import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const faults = [
  ['Use the door via a tool.', '"via": write by, through'],
  ['Simply call it.', '"Simply": write nothing'],
  ['Some tools, e.g. this one.', '"e.g.": write such as'],
  ['In order to win.', 'Unexpected `In order to`'],
  ['It is the the same.', 'Unexpected repeated `the`'],
  ['Eat a apple.', 'Unexpected article `a`'],
  ['The key was written.', 'Unexpected use of the passive voice (written)'],
  [`${'Word of '.repeat(20)}mine.`, 'more than 35 words in a sentence'],
] as const;

test('each fault of the language is found; code and tables are not read', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-language-'));
  const file = join(folder.path, 'faults.md');
  writeFileSync(file, [...faults.map(([fault]) => fault), 'See `via`.', '| a |\n| --- |\n| via |', '```sh\nplease via\n```'].join('\n\n'));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/check-language.mjs', folder.path], { encoding: 'utf8' });
  const found = stderr.trim().split('\n');
  expect(status).toBe(1);
  for (const [index, [, message]] of faults.entries())
    expect(found.filter((line) => line.startsWith(`${file}:${1 + 2 * index}:`)).join('\n')).toContain(message);
  expect(found.filter((line) => Number(/\.md:(\d+)/.exec(line)?.[1]) > 2 * faults.length)).toEqual([]);
});
