// A worker of a tenant for the journeys of the console: a tool that asks for a size, and fails where there is none left.
import { z } from 'zod';
import { defineTool } from '#lib/contracts';
import { handle, serve, type ServedWorker } from '#lib/serve';
import type { System } from '#lib/testing';

const order = defineTool({
  name: 'order_item',
  version: '1.0.0',
  title: 'Order',
  description: 'Orders an item. A tool of a test, served by a worker of a tenant.',
  domain: 'own-sales',
  effect: 'write',
  input: z.strictObject({ item: z.string().describe('What is ordered.'), count: z.int().min(1).max(99).default(1).describe('How many.') }),
  output: z.strictObject({ ordered: z.string() }),
  errors: {},
  // A page that shows a slow order has its time, on a busy machine too.
  timeoutMs: 300_000,
  retry: {},
  estimatedTokens: 10,
  examples: [{ input: { item: 'cup' }, output: { ordered: '1 cup' } }],
});

/** What each call of the tool was, as it ran. */
export interface Sales extends AsyncDisposable {
  readonly ordered: readonly string[];
}

export async function startSales({ tenant, gateway }: System): Promise<Sales> {
  const isServing = Promise.withResolvers<void>();
  const ordered: string[] = [];
  const worker: ServedWorker = serve({
    tools: [
      handle(order, async ({ item, count }, { ask, signal }) => {
        if (item === 'sold out') throw new Error('the shelf is empty');
        if (item === 'slow') await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        const size =
          item === 'shirt' ? await ask('size', { message: 'Which size?', schema: z.object({ size: z.enum(['s', 'm']) }) }) : null;
        if (size && size.action !== 'accept') return { ordered: 'nothing' };
        const said = `${count} ${item}${size ? ` ${size.content.size}` : ''}`;
        ordered.push(said);
        return { ordered: said };
      }),
    ],
    url: gateway.url,
    key: await tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true }),
    domain: 'sales',
    stopsOnSignal: false,
    onEvent: ({ kind }) => kind === 'serving' && isServing.resolve(),
  });
  await Promise.race([isServing.promise, worker.stopped]);
  return {
    ordered,
    async [Symbol.asyncDispose]() {
      await worker.stop();
    },
  };
}
