import { setTimeout as sleep } from 'node:timers/promises';
import { labCoalesced } from '../contracts/lab-coalesced.js';
import { callOf, handle } from './services.js';

export const handleLabCoalesced = handle(labCoalesced, async ({ order, work_ms: workMs }, { ledger, network, signal, ...context }) => {
  const run = await network(() => ledger.attempt(callOf(order, context), signal));
  await sleep(workMs, undefined, { signal });
  return { order, run };
});
