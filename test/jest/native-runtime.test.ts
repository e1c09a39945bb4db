import { execFile } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { allPaths } from '../documents/repository.js';

const report = z.object({
  success: z.boolean(),
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ title: z.string(), status: z.string(), failureMessages: z.array(z.string()) })) }),
  ),
});

/** Runs these test files one after the other in one process, with the settings of this project. */
async function run(files: Readonly<Record<string, string>>) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-jest-'));
  for (const [name, source] of Object.entries(files)) writeFileSync(join(folder.path, name), source);
  const options = ['--roots', folder.path, '--runInBand', '--json'];
  const args = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', ...options];
  const printed = await new Promise<string>((resolve) => execFile(process.execPath, args, (_, stdout) => resolve(stdout)));
  const { success, testResults } = report.parse(JSON.parse(printed));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests
    .filter(({ status }) => status !== 'passed')
    .map(({ title, failureMessages }) => `${title}: ${failureMessages.join('\n')}`);
  return { success, passed: tests.length - failed.length, failed };
}

const imports = `import { afterEach, expect, jest, test } from '@jest/globals';\n`;

test('files share the modules, and nothing else that one of them has changed', async () => {
  const first = `${imports}
    import { loaded } from './counter.js';
    import { noted } from './noting.js';
    test('changes what there is', () => {
      process.env.ADDED = '1';
      delete process.env.PATH;
      process.chdir('/');
      jest.spyOn(Math, 'random').mockReturnValue(7);
      jest.useFakeTimers();
      jest.setTimeout(1);
      expect([loaded(), noted()]).toEqual([1, 1]);
    });`;
  const second = `${imports}
    import { loaded } from './counter.js';
    import { noted } from './noting.js';
    test('finds all as it was', async () => {
      expect([process.env.ADDED, typeof process.env.PATH, process.cwd() === '/']).toEqual([undefined, 'string', false]);
      expect(Math.random()).toBeLessThan(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(loaded()).toBe(2);
    });
    test('a helper has its hooks in the file that runs', () => expect(noted()).toBe(1));`;
  const counter = 'let count = 0; export const loaded = (): number => ++count;';
  const noting = `${imports} let count = 0; export const noted = (): number => { expect(count).toBe(0); return 1; };`;
  const files = { 'a.test.ts': `${first}${' '.repeat(2_000)}`, 'b.test.ts': second, 'counter.ts': counter, 'noting.ts': noting };
  expect(await run(files)).toEqual({ success: true, passed: 3, failed: [] });
}, 60_000);

test('a test that fails, hangs or asserts too little fails the run, and is named with its line', async () => {
  const bad = `${imports}
    interface Left { readonly out: number }

    const value: Left = { out: 1 };
    test('fails', () => expect(value).toEqual({ out: 2 }));
    test('hangs', () => new Promise(() => undefined), 50);
    test('asserts too little', () => expect.assertions(1));
    test('passes', () => undefined);`;
  const { success, passed, failed } = await run({ 'bad.test.ts': bad });
  expect([success, passed]).toEqual([false, 1]);
  expect(failed).toEqual([
    expect.stringMatching(/^fails: [^]*bad\.test\.ts:6:/),
    expect.stringMatching(/^hangs: [^]*50 ms[^]*bad\.test\.ts:7:/),
    expect.stringMatching(/^asserts too little: [^]*bad\.test\.ts:8:/),
  ]);
}, 60_000);

test('a file may have modules and a context of its own', async () => {
  const counter = 'let count = 0; export const loaded = (): number => ++count;';
  const once = `${imports} import { loaded } from './counter.js'; test('x', () => expect(loaded()).toBe(1));`;
  const own = `/** @jest-environment node */ ${once} Reflect.deleteProperty(globalThis, 'setTimeout');`;
  const files = { 'a.test.ts': `${once}${' '.repeat(2_000)}`, 'b.test.ts': own, 'counter.ts': counter };
  expect(await run(files)).toEqual({ success: true, passed: 2, failed: [] });
}, 60_000);

test('no helper has hooks outside of a function: it is loaded once, for the first file that imports it', () => {
  const helpers = allPaths().filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  expect(helpers.filter((path) => /^(before|after)(All|Each)\(/m.test(readFileSync(path, 'utf8')))).toEqual([]);
});
