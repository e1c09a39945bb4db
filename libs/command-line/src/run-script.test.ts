import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const run = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/scripts/skills-lint.js', ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
};

test.each(['--help', '-h'])('a command shows its help for %s and does nothing else', (asked) => {
  expect(run(asked)).toMatchObject({ status: 0, stdout: expect.stringContaining('npm run skills:lint'), stderr: '' });
});

test('an option that there is not leads to the help', () => {
  expect(run('--nonsense')).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/error: .*--nonsense[^]*npm run skills:lint/),
  });
});

test('without either it runs', () => {
  expect(run()).toMatchObject({ status: 0, stdout: expect.stringContaining('core') });
});
