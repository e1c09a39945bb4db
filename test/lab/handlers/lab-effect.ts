import { labEffect } from '../contracts/lab-effect.js';
import { callOf, handle } from './services.js';

export const handleLabEffect = handle(labEffect, async ({ order, witness }, { ledger, network, signal, ...context }) => {
  const call = callOf(order, context);
  if (witness) await network(() => ledger.note(call, 'before-call', signal));
  const effectId = await network(() => ledger.effect(call, signal));
  if (witness) await network(() => ledger.note(call, 'after-response', signal));
  return { order, effect_id: effectId };
});
