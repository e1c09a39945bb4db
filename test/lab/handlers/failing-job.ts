import { setTimeout as sleep } from 'node:timers/promises';
import { failingJob } from '../contracts/failing-job.js';
import { handle } from './services.js';

export const handleFailingJob = handle(failingJob, async (_input, { signal, error }) => {
  await sleep(1_000, undefined, { signal });
  throw error('MEANT_TO_FAIL', 'It was told to fail');
});
