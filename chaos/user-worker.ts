// A worker of a tenant, as a program of its own: it makes effects at the ledger, keyed by the call.
import { defineTool } from '#lib/contracts';
import { handle, serve } from '#lib/serve';
import { labEffect } from '../test/lab/contracts/lab-effect.js';
import { ledgerAt } from '../test/lab/ledger-client.js';
import { servedEffectFacts } from './load/served-effect.js';

const ledger = ledgerAt(process.env['LEDGER_URL'] ?? '');
const tool = handle(defineTool({ ...labEffect, ...servedEffectFacts }), async ({ order }, { attempt, effectKey, signal }) => ({
  order,
  effect_id: await ledger.effect({ order, key: effectKey, attempt }, signal),
}));

await serve({
  tools: [tool],
  url: process.env['INVOQ_URL'] ?? '',
  key: process.env['INVOQ_API_KEY'] ?? '',
  domain: 'chaos',
  concurrency: 32,
}).stopped;
