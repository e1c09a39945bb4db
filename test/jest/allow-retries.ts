// Jest loads this before every test file.
import { expect, jest } from '@jest/globals';

// A test that measures time can fail because the machine was busy. Such a test lives in a file named `*.timing.test.ts` and may
// run up to three times. All others run once: a race that passes at the second try is a fault.
if (expect.getState().testPath?.endsWith('.timing.test.ts')) jest.retryTimes(2, { logErrorsBeforeRetry: true, retryImmediately: true });
