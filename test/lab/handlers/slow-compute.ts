import { setTimeout as sleep } from 'node:timers/promises';
import { slowCompute } from '../contracts/slow-compute.js';
import { handle } from './services.js';

export const handleSlowCompute = handle(slowCompute, async ({ seconds, label }, { signal }) => {
  await sleep(seconds * 1_000, undefined, { signal });
  return { label };
});
