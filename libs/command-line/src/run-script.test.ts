import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const runOf = (script: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`dist/scripts/${script}.js`, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
};
const run = (...args: readonly string[]) => runOf('skills-lint', ...args);

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

test.each(['migrate', 'format', 'check', 'dev', 'docs/main'])('%s takes no arguments, and does nothing when it gets one', (script) => {
  expect(runOf(script, '--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/\n {2}(npm run|node) /), stderr: '' });
  expect(runOf(script, '--dry-run')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/error: .*--dry-run/) });
  expect(runOf(script, 'now')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/error: .*now/) });
});
