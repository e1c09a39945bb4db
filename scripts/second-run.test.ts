import { expect, test } from '@jest/globals';
import { filesOfSecondRun } from './second-run.js';

const [scenario, integration, timing] = ['test/e2e/scenarios/a.test.ts', 'libs/b.integration.test.ts', 'apps/c.timing.test.ts'];
const quick = (files: readonly string[]) => files.map((file) => ({ file, seconds: 1 }));

test.each([[[]], [[scenario]], [[integration, timing]], [['test/console/d.test.ts', 'test/packages/e.test.ts']]])(
  '%j run a second time',
  (files) => expect(filesOfSecondRun(quick(files))).toEqual(files),
);

test.each([
  [['libs/f.test.ts']],
  [[scenario, 'test/jest/g.test.ts']],
  [[scenario, integration, timing, 'test/console/d.test.ts', 'test/packages/e.test.ts']],
])('%j do not', (files) => expect(filesOfSecondRun(quick(files))).toEqual([]));

test('a file that took long runs a second time, whatever its name', () => {
  expect(filesOfSecondRun([{ file: 'libs/f.test.ts', seconds: 30 }])).toEqual(['libs/f.test.ts']);
  expect(filesOfSecondRun([{ file: 'libs/f.test.ts', seconds: 30 }, ...quick(['libs/g.test.ts'])])).toEqual([]);
});
