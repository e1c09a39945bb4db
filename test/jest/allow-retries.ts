// Jest loads this before every test file.
import { relative } from 'node:path';
import { expect, jest } from '@jest/globals';

// A test that measures time can fail because the machine was busy. Such a test lives in a file named `*.timing.test.ts` and may
// run up to three times. A test of a whole system has up to ten processes and a browser share two processors with other files: it may
// run twice, and the reporter counts. All other tests run once: a race that passes at the second try is a fault.
const file = relative(process.cwd(), expect.getState().testPath ?? '');
const retries = file.endsWith('.timing.test.ts') ? 2 : /^test\/(e2e|console|packages)\//.test(file) ? 1 : 0;
if (retries > 0) jest.retryTimes(retries, { logErrorsBeforeRetry: true, retryImmediately: true });
