import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '#lib/command-line';
// @ts-expect-error -- plain JavaScript, which runs before anything is built
import { runsOnAnyNode } from './any-node.mjs';

test.each([[[]], [['--help']], [['-h']], [['help']], [['call', 'x']], [['tools', '--help']]])('%j is quick', (args) => {
  expect(runsOnAnyNode(args)).toBe(true);
});

test.each([[['import', 'knowledge', '--help']], [['import', 'profiles', 'help']], [['--url', 'http://localhost', 'call', 'x']], [['dev']]])(
  '%j runs on Node 24',
  (args) => {
    expect(runsOnAnyNode(args)).toBe(false);
  },
);

test('the Node of the machine, which may be older, runs what is quick', () => {
  // The commands of this project put the Node of its packages first.
  const PATH = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const run = (...args: readonly string[]) => {
    const env = { PATH: PATH.join(delimiter), INVOQ_URL: 'http://127.0.0.1:9', INVOQ_API_KEY: 'key' };
    return spawnSync('node', [join(root, 'bin/invoq.mjs'), ...args], { encoding: 'utf8', env });
  };
  expect(run('--help').stdout).toMatch(/^Usage: invoq <command>/);
  expect(run('call', '--help').stdout).toMatch(/^Usage: invoq call/);
  expect(run('import', 'knowledge', '--help').stdout).toMatch(/^Usage: invoq import knowledge/);
  for (const what of ['knowledge', 'memotree', 'profiles'])
    expect(run('import', what, '--help')).toMatchObject({ stderr: '', stdout: expect.stringContaining(`Usage: invoq import ${what}`) });
  // Nobody answers there: the client ran as far as that.
  expect(run('tools').stderr).toContain('NETWORK_ERROR: The gateway at');
});
