import { once } from 'node:events';
import type { ToolOutput } from '#lib/contracts';
import { labFail } from '../contracts/lab-fail.js';
import { callOf, handle } from './services.js';

export const handleLabFail = handle(
  labFail,
  async ({ order, kind, times, retry_after: retryAfter }, { ledger, network, signal, error, ...context }) => {
    const call = callOf(order, context);
    const attempts = await network(() => ledger.attempt(call, signal));
    if (attempts > times) return { order, attempts };
    switch (kind) {
      case 'network':
        await network(() => ledger.fault(call, { how: 'reset' }, signal));
        break;
      case 'rate-limit':
        await network(() => ledger.fault(call, { how: 'limit', retryAfter }, signal));
        break;
      case 'service':
        await network(() => ledger.fault(call, { how: 'fail' }, signal));
        break;
      case 'timeout':
        await once(signal, 'abort');
        throw signal.reason;
      case 'internal':
        throw new TypeError(`internal-canary-${order}: a fault of the handler's own`);
      case 'refusal':
        throw error('LAB_REFUSED', `Order '${order}' is refused as asked`);
      case 'bad-output':
        return misshapen();
      case 'hang-ignoring-signal':
        await new Promise(() => undefined);
    }
    throw new Error('The ledger did not fail as asked');
  },
);

/** An output of the wrong shape, which the compiler would reject. */
function misshapen(): ToolOutput<typeof labFail> {
  return JSON.parse('{ "order": 7, "unknown": true }');
}
