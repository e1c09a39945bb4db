import { labSecret } from '../contracts/lab-secret.js';
import { callOf, handle } from './services.js';

export const handleLabSecret = handle(labSecret, async ({ order }, { ledger, network, signal, ...context }) => {
  const effectId = await network(() => ledger.effect(callOf(order, context), signal));
  return { effect_id: effectId, link: `https://ledger.test/once/canary-${order}` };
});
