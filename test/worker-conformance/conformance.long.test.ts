// The test itself: it fails a worker that ignores that it is stopped, and passes ours, in both languages, in what is quick to see.
import { describe, expect, test } from '@jest/globals';
import { startTimeoutMs } from '#lib/testing';
import { findPython } from '../../scripts/provision/python.js';
import { startBench } from './bench.js';
import { runCases } from './run-cases.js';

const ours = [process.execPath, '--import', '#source-maps', 'dist/test/worker-conformance/workers/worker.js'];
const quick = [
  'retryable',
  'cancel',
  'lost-end',
  'step',
  'rest',
  'rest-caught',
  'question',
  'question-declined',
  'account',
  'cost',
  'file',
  'lost-piece',
  'lost-kept',
  'unknown',
  'drain',
];

describe.each<[string, () => readonly string[], readonly string[]]>([
  ['a worker that ignores that it is stopped', () => [...ours, '--deaf'], ['cancel']],
  ['a worker in Python', () => ['env', 'PYTHONPATH=clients/python/src', findPython(), 'test/worker-conformance/workers/worker.py'], []],
])('%s', (_, command, failed) => {
  test(
    failed.length === 0 ? 'passes' : `fails ${failed.join(' and ')} alone`,
    async () => {
      await using bench = await startBench(command());
      expect(await runCases(bench, failed.length === 0 ? quick : failed)).toEqual(failed);
    },
    startTimeoutMs * 2,
  );
});
