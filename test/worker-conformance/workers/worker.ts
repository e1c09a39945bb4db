// The worker of docs/worker-protocol.md's conformance cases, written with our own library. With --deaf it ignores that it is stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool, Failure, file, fileSchema, handle, serve } from '#lib/serve';

const isDeaf = process.argv.includes('--deaf');
const acts = [
  'answer',
  'refuse',
  'fail_once',
  'bug',
  'progress',
  'log',
  'work',
  'wait',
  'step_then_fail',
  'rest',
  'rest_caught',
  'ask',
  'token',
  'cost',
  'file',
] as const;

/** How long they work, in ms. */
const durations: ReadonlyMap<string, number> = new Map([
  ['progress', 500],
  ['work', 2_000],
  ['wait', 60_000],
]);

const tool = (name: string, timeoutMs: number, connection?: { readonly provider: string }) =>
  handle(
    defineTool({
      name,
      version: '1.0.0',
      title: 'Conformance',
      description: 'Do what a case of the conformance test asks for.',
      domain: 'own-conformance',
      effect: 'write',
      input: z.strictObject({ act: z.enum(acts).describe('What to do.') }),
      output: z.strictObject({ effect_key: z.string(), attempt: z.int(), file: fileSchema.nullish() }),
      errors: { NO_SUCH_THING: 'RESOURCE_NOT_FOUND' },
      timeoutMs,
      ...(connection && { connection }),
      retry: { service: { times: 2, baseMs: 50 } },
      estimatedTokens: 10,
      examples: [{ input: { act: 'answer' }, output: { effect_key: 'inv_1', attempt: 1 } }],
    }),
    async ({ act }, { ask, attempt, cost, effectKey, error, log, progress, signal, sleep: rest, step, token }) => {
      if (act === 'cost') {
        cost(5);
        cost(7);
        if (attempt === 1) throw new Failure('service', 'the first attempt fails');
      }
      if (act === 'refuse') throw error('NO_SUCH_THING', 'There is no such thing');
      if (act === 'fail_once' && attempt === 1) throw new Failure('service', 'the first attempt fails');
      if (act === 'bug') throw new TypeError('a bug');
      if (act === 'log') log('info', 'a line');
      if (act === 'step_then_fail') {
        const first = await step('first', () => attempt);
        if (attempt === 1) throw new Failure('service', 'the first attempt fails');
        return { effect_key: effectKey, attempt: first };
      }
      if (act === 'rest' || act === 'rest_caught') {
        const first = await step('first', () => attempt);
        try {
          await rest('nap', 300);
        } catch (caught) {
          if (act === 'rest') throw caught;
        }
        return { effect_key: effectKey, attempt: first };
      }
      if (act === 'ask') {
        const said = await ask('number', { message: 'Which number?', schema: z.object({ number: z.int() }) });
        return { effect_key: effectKey, attempt: said.action === 'accept' ? said.content.number : 0 };
      }
      if (act === 'file')
        return {
          effect_key: effectKey,
          attempt,
          file: file(Buffer.alloc(600_000), { name: 'zeros.bin', type: 'application/octet-stream' }),
        };
      if (act === 'token') return { effect_key: effectKey, attempt: (await token()).length };
      const forMs = durations.get(act) ?? 0;
      for (let passedMs = 0; passedMs < forMs; passedMs += 100) {
        if (act === 'progress') progress(50, 'half');
        else progress(10, `after ${passedMs} ms`);
        await sleep(100, undefined, isDeaf ? {} : { signal });
      }
      return { effect_key: effectKey, attempt };
    },
  );

await serve({
  tools: [tool('conformance', 60_000), tool('conformance_short', 1_000), tool('conformance_account', 60_000, { provider: 'conformance' })],
  url: process.env['INVOQ_URL'] ?? '',
  key: process.env['INVOQ_API_KEY'] ?? '',
  domain: 'conformance',
}).stopped;
