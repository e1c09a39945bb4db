import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { fastify, type FastifyInstance } from 'fastify';
import type { Stores } from '../stores.js';

/** The pages of Bull Board as a server of their own, which does not listen: who may see them has been settled before it is asked. */
export async function boardPages(path: string, stores: Stores): Promise<FastifyInstance> {
  const { queues, servedDirectory, partitions } = stores;
  const serverAdapter = new FastifyAdapter();
  serverAdapter.setBasePath(path);
  const shown = () => queues.all().map((queue) => new BullMQAdapter(queue, { readOnlyMode: true, description: `${queue.name} tools` }));
  const board = createBullBoard({ queues: shown(), serverAdapter, options: { uiConfig: { boardTitle: 'Invoq queues' } } });
  const show = () => {
    // The queues of tenants are shown while a worker serves them, or they hold calls.
    for (const partition of stores.allPartitions) queues.queue(partition);
    board.setQueues(shown());
  };
  show();
  servedDirectory.onQueues(show);
  partitions.onGrowth(show);
  const pages = fastify();
  await pages.register(serverAdapter.registerPlugin(), { prefix: path });
  return pages;
}
