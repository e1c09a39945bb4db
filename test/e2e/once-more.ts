// Jest loads this before every test file.
import { expect, jest } from '@jest/globals';

// Whole systems run here side by side on as few as two processors and against real clocks, so a machine that is held up for a
// second can break any one time limit. What fails twice is a fault; what fails once is printed and tried once more.
if (expect.getState().testPath?.includes('/test/e2e/scenarios/'))
  jest.retryTimes(1, { logErrorsBeforeRetry: true, retryImmediately: true });
