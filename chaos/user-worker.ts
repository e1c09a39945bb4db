// A worker of a tenant, as a program of its own: it makes effects at the ledger, keyed by the call.
import { defineTool } from '#lib/contracts';
import { handle, serve } from '#lib/serve';
import { labEffect } from '../test/lab/contracts/lab-effect.js';
import { ledgerAt } from '../test/lab/ledger-client.js';
import { servedApprovedFacts, servedEffectFacts, servedStepsFacts } from './load/served-effect.js';

const ledger = ledgerAt(process.env['LEDGER_URL'] ?? '');
const effectOf = (facts: typeof servedEffectFacts | typeof servedApprovedFacts) =>
  handle(defineTool({ ...labEffect, ...facts }), async ({ order }, { attempt, effectKey, signal }) => ({
    order,
    effect_id: await ledger.effect({ order, key: effectKey, attempt }, signal),
  }));

const steps = handle(
  defineTool({ ...labEffect, ...servedStepsFacts }),
  async ({ order }, { attempt, effectKey: key, signal, sleep, step }) => {
    const call = { order, key, attempt };
    const effect_id = await step('effect', async () => ledger.effect(call, signal));
    await sleep('nap', 300);
    // Held here, it is a call whose step is finished.
    await step('report', async () => ledger.note(call, 'after-response', signal));
    return { order, effect_id };
  },
);

await serve({
  tools: [effectOf(servedEffectFacts), effectOf(servedApprovedFacts), steps],
  url: process.env['INVOQ_URL'] ?? '',
  key: process.env['INVOQ_API_KEY'] ?? '',
  domain: 'chaos',
  concurrency: 32,
}).stopped;
