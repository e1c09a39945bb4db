// A worker of a tenant that serves while its door is attacked with its own key.
import { z } from 'zod';
import { defineTool } from '#lib/contracts';
import { handle, serve } from '#lib/serve';

const tool = handle(
  defineTool({
    name: 'served_echo',
    version: '1.0.0',
    title: 'Echo',
    description: 'Give a word back from a worker of the tenant.',
    domain: 'own-fuzz',
    effect: 'read',
    input: z.strictObject({ word: z.string().max(1_000).describe('Any word.') }),
    output: z.strictObject({ word: z.string() }),
    errors: {},
    timeoutMs: 2_000,
    estimatedTokens: 10,
    examples: [{ input: { word: 'a' }, output: { word: 'a' } }],
  }),
  ({ word }) => ({ word }),
);

/** Resolves when its tool is served, with the id of its connection. @param key one that approves what it announces */
export async function startUserWorker(url: string, key: string): Promise<AsyncDisposable & { readonly id: string }> {
  const served = Promise.withResolvers<void>();
  let id = '';
  const worker = serve({
    tools: [tool],
    url,
    key,
    domain: 'fuzz',
    stopsOnSignal: false,
    onEvent: (event) => {
      if (event.kind === 'connected') id = event.worker;
      if (event.kind === 'serving') served.resolve();
    },
  });
  await Promise.race([served.promise, worker.stopped]);
  return { id, [Symbol.asyncDispose]: async () => worker.stop() };
}
