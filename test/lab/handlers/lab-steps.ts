import { setTimeout as sleep } from 'node:timers/promises';
import { labSteps } from '../contracts/lab-steps.js';
import { callOf, handle } from './services.js';

export const handleLabSteps = handle(labSteps, async ({ order, steps, step_ms: stepMs }, { ledger, signal, progress, ...context }) => {
  const call = callOf(order, context);
  // Sent without the signal, which has fired already, and not awaited.
  const onAbort = (): void => void ledger.note(call, 'aborted').catch(() => undefined);
  signal.addEventListener('abort', onAbort);
  try {
    await ledger.note(call, 'started', signal);
    for (let step = 1; step <= steps; step++) {
      await sleep(stepMs, undefined, { signal });
      progress((100 * step) / steps, `Step ${step} of ${steps}`);
    }
    return { order, steps };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
});
