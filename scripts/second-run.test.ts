import { expect, test } from '@jest/globals';
import { filesOfSecondRun } from './second-run.js';

const [scenario, integration, timing] = ['test/e2e/scenarios/a.test.ts', 'libs/b.integration.test.ts', 'apps/c.timing.test.ts'];

test.each([[[]], [[scenario]], [[integration, timing]], [['test/console/d.test.ts', 'test/packages/e.test.ts']]])(
  '%j run a second time',
  (failed) => expect(filesOfSecondRun(failed)).toEqual(failed),
);

test.each([
  [['libs/f.test.ts']],
  [[scenario, 'test/jest/g.test.ts']],
  [[scenario, integration, timing, 'test/console/d.test.ts', 'test/packages/e.test.ts']],
])('%j do not', (failed) => expect(filesOfSecondRun(failed)).toEqual([]));
