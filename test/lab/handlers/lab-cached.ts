import { labCached } from '../contracts/lab-cached.js';
import { callOf, handle } from './services.js';

export const handleLabCached = handle(labCached, async ({ order, refuse }, { ledger, network, signal, error, ...context }) => {
  const run = await network(() => ledger.attempt(callOf(order, context), signal));
  if (refuse) throw error('LAB_REFUSED', `Order '${order}' is refused as asked`);
  return { order, run };
});
