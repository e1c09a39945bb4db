// A worker of a tenant, as a program of its own: it makes effects at the ledger, keyed by the call, and gives files.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool } from '#lib/contracts';
import { file, fileSchema, handle, serve } from '#lib/serve';
import { labEffect } from '../test/lab/contracts/lab-effect.js';
import { ledgerAt } from '../test/lab/ledger-client.js';
import { partMs, partsOf, servedFileFacts } from './load/served-file.js';
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

const example = {
  file_id: 'file_2Q8mTnXo1cVb5RkJ0wHs9LpE',
  filename: 'report.bin',
  content_type: 'application/octet-stream',
  size_bytes: 5,
  url: 'https://tools.example.com/files/file_2Q8mTnXo1cVb5RkJ0wHs9LpE',
  expires_at: '2026-11-24T16:00:00.000Z',
};
const filed = handle(
  defineTool({
    ...labEffect,
    ...servedFileFacts,
    output: z.strictObject({ report: fileSchema }),
    examples: [{ input: { order: 'order-1' }, output: { report: example } }],
  }),
  ({ order }, { signal }) => {
    async function* content(): AsyncGenerator<Buffer> {
      for (const part of partsOf(order)) {
        yield part;
        await wait(partMs, undefined, { signal });
      }
    }
    return { report: file(content(), { name: 'report.bin', type: 'application/octet-stream' }) };
  },
);

await serve({
  tools: [effectOf(servedEffectFacts), effectOf(servedApprovedFacts), steps, filed],
  url: process.env['INVOQ_URL'] ?? '',
  key: process.env['INVOQ_API_KEY'] ?? '',
  domain: 'chaos',
  concurrency: 32,
}).stopped;
