import { labPaid, reportedMicros } from '../contracts/lab-paid.js';
import { callOf, handle } from './services.js';

export const handleLabPaid = handle(labPaid, async ({ order }, { ledger, network, signal, cost, ...context }) => {
  cost(reportedMicros);
  return { order, effect_id: await network(() => ledger.effect(callOf(order, context), signal)) };
});
