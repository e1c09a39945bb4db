import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { workerLimits } from './worker-limits.js';

test('the client for Python has these limits: `npm run format` writes them', () => {
  expect(JSON.parse(readFileSync('clients/python/src/invoq/limits.json', 'utf8'))).toEqual(workerLimits);
});
