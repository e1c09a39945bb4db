import { existsSync, mkdirSync, mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { root } from '#lib/command-line';
import { runCommandLine } from '../test-command-line.js';
import { neededVersions } from './project-files.js';

let folder: string;
let remove: () => void;
const init = async (...args: readonly string[]) => runCommandLine(['init', ...args], { INIT_CWD: folder });

beforeEach(() => {
  const temporary = mkdtempDisposableSync(join(tmpdir(), 'invoq-init-'));
  folder = temporary.path;
  remove = () => temporary.remove();
});
afterEach(() => remove());

test('a project is written with what to do next, under the name of its folder', async () => {
  const { code, stdout, stderr } = await init('my-tools');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Written to my-tools\/: package\.json[^]* cd my-tools\n {2}npm install\n {2}npm test\n {2}npx invoq dev/);
  const { name, dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'my-tools/package.json'), 'utf8'));
  const ours: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(ours).toMatchObject({ version: devDependencies.invoq });
  expect([name, dependencies['@invoq/worker']]).toEqual(['my-tools', devDependencies.invoq]);
  expect(readdirSync(join(folder, 'my-tools/tools'))).toEqual(['count-words.test.ts', 'count-words.ts']);
});

test('what a project needs has the versions that we use ourselves', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { zod, '@types/node': types, typescript7 } = { ...dependencies, ...devDependencies };
  expect(neededVersions).toEqual({ zod, '@types/node': types, typescript: typescript7.replace('npm:typescript@', '') });
});

test('a file that is there stays as it is, and then nothing is written', async () => {
  mkdirSync(join(folder, 'mine/tools'), { recursive: true });
  writeFileSync(join(folder, 'mine/tools/count-words.ts'), 'mine');
  const { code, stderr } = await init('mine');
  expect([code, stderr]).toEqual([1, expect.stringMatching(/mine has tools\/count-words\.ts already\. Nothing was written/)]);
  expect(readdirSync(join(folder, 'mine'))).toEqual(['tools']);
  expect(readFileSync(join(folder, 'mine/tools/count-words.ts'), 'utf8')).toBe('mine');
});

test('a folder below a file is told in one line', async () => {
  writeFileSync(join(folder, 'file'), '');
  expect(await init('file/mine')).toMatchObject({ code: 1, stderr: expect.stringMatching(/ENOTDIR.*file\/mine'\n$/) });
});

test.each(['Mine', 'my tools', '.hidden', 'invoq', 'zod', 'node_modules', 'ä', '-x/_y', `${'a'.repeat(101)}`])(
  '%j is not the name of a package',
  async (name) => {
    expect(await init('--', name)).toMatchObject({ code: 2, stderr: expect.stringMatching(/folder's name becomes that of the package/) });
    expect(existsSync(join(folder, name))).toBe(false);
  },
);

test('archives take the place of the registry; one that is missing is named', async () => {
  mkdirSync(join(folder, 'archives'));
  writeFileSync(join(folder, 'archives/invoq-0.1.0.tgz'), '');
  expect(await init('mine', '--packages', 'archives')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/archives has no archive of @invoq\/worker/),
  });
  writeFileSync(join(folder, 'archives/invoq-worker-0.1.0.tgz'), '');
  expect(await init('mine', '--packages', 'archives')).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(folder, 'mine/package.json'), 'utf8'))).toMatchObject({
    dependencies: { '@invoq/worker': 'file:../archives/invoq-worker-0.1.0.tgz' },
    devDependencies: { invoq: 'file:../archives/invoq-0.1.0.tgz' },
  });
});
