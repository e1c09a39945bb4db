import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import FailedFilesReporter from './failed-files-reporter.js';
import RetryReporter from './retry-reporter.js';
import SlowKindsFirst from './sequencer.js';

describe('the reporter of retries', () => {
  afterEach(() => void jest.restoreAllMocks());

  /** A run in which these files had tests that took so many tries. */
  const runOf = (...files: readonly (readonly [string, ...(number | undefined)[]])[]) => {
    const printed: string[] = [];
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
    const reporter = new RetryReporter();
    for (const [name, ...tries] of files)
      reporter.onTestResult(null, {
        testFilePath: join(process.cwd(), name),
        testResults: tries.map((invocations, index) => ({
          fullName: `test ${index}`,
          ...(invocations !== undefined && { invocations }),
        })),
      });
    reporter.onRunComplete();
    return { printed: printed.join(''), error: reporter.getLastError() };
  };

  test('says that none was retried', () => {
    expect(runOf(['a.test.ts', 1, undefined], ['b.timing.test.ts', 1])).toEqual({ printed: 'Retried tests: 0\n', error: undefined });
  });

  test('names retried tests of time and lets the run pass', () => {
    expect(runOf(['x/b.timing.test.ts', 1, 3, 2])).toEqual({
      printed: 'Retried tests: 2\n  x/b.timing.test.ts: test 1 (3 tries)\n  x/b.timing.test.ts: test 2 (2 tries)\n',
      error: undefined,
    });
  });

  test.each(['a.test.ts', 'test/e2e/scenarios/a.test.ts', 'timing.test.ts', 'a.timing.integration.test.ts'])(
    'fails the run for a retried test of %s',
    (file) => {
      const { printed, error } = runOf([file, 2], ['b.timing.test.ts', 2]);
      expect(error?.message).toContain('1 of the retried tests');
      expect(printed).toContain(error?.message);
    },
  );
});

describe('the list of failed files', () => {
  afterEach(() => void delete process.env['FAILED_FILES']);

  test('has those with a failed test, and those that could not run, with their times', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-failed-'));
    process.env['FAILED_FILES'] = join(folder.path, 'failed.json');
    const [passed, failed, broken] = ['a.test.ts', 'b.test.ts', 'c.test.ts'].map((file) => join(process.cwd(), file));
    new FailedFilesReporter().onRunComplete(null, {
      testResults: [
        { testFilePath: passed ?? '', numFailingTests: 0, perfStats: { runtime: 10 } },
        { testFilePath: failed ?? '', numFailingTests: 1, perfStats: { runtime: 500 } },
        { testFilePath: broken ?? '', numFailingTests: 0, testExecError: new Error('x'), perfStats: { runtime: 0 } },
      ],
    });
    expect(JSON.parse(readFileSync(join(folder.path, 'failed.json'), 'utf8'))).toEqual([
      { file: 'b.test.ts', seconds: 0.5 },
      { file: 'c.test.ts', seconds: 0 },
    ]);
  });
});

describe('the order of test files', () => {
  test('has systems first, then tests with stores among the others and before the end; larger files of each kind first', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-sequencer-'));
    const files = (ending: string, count: number) =>
      Array.from({ length: count }, (_, index) => {
        const path = join(folder.path, `${index}${ending}`);
        writeFileSync(path, 'x'.repeat(index));
        return { path };
      });
    const [units, integrations] = [files('.test.ts', 40), files('.integration.test.ts', 10)];
    const scenario = { path: join(process.cwd(), 'test/e2e/coverage.test.ts') };
    const sorted = new SlowKindsFirst().sort([...units, scenario, ...integrations]);
    expect(new Set(sorted)).toEqual(new Set([...units, scenario, ...integrations]));
    expect(sorted[0]).toBe(scenario);
    for (const kind of [units, integrations]) expect(sorted.filter((file) => kind.includes(file))).toEqual(kind.toReversed());
    const quarters = [0, 1, 2, 3].map((n) => sorted.slice(13 * n, 13 * (n + 1)).filter((file) => integrations.includes(file)).length);
    expect(quarters).toEqual([3, 4, 3, 0]);
    expect(integrations).not.toContain(sorted.at(-1));
  });

  test('is divided among shards, every file once', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-sequencer-'));
    const files = Array.from({ length: 10 }, (_, index) => {
      const path = join(folder.path, `${index}.test.ts`);
      writeFileSync(path, 'x'.repeat(index));
      return { path };
    });
    const sequencer = new SlowKindsFirst();
    const shards = [1, 2, 3].map((shardIndex) => sequencer.shard(files, { shardIndex, shardCount: 3 }));
    expect(shards.map((shard) => shard.length)).toEqual([4, 3, 3]);
    expect(new Set(shards.flat())).toEqual(new Set(files));
  });
});
