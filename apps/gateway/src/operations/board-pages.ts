import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { fastify, type FastifyInstance } from 'fastify';
import { domains } from '#lib/contracts';
import type { Partitions, ToolQueues } from '#lib/transport';
import type { ServedDirectory } from '../serving/served-directory.js';

export interface BoardParts {
  readonly queues: Pick<ToolQueues, 'all' | 'queue'>;
  readonly partitions: Pick<Partitions, 'all' | 'onGrowth'>;
  /** The queues of tenants are shown while a worker serves them, or they hold calls. */
  readonly served: Pick<ServedDirectory, 'onQueues' | 'queues'>;
}

/** The pages of Bull Board as a server of their own, which does not listen: who may see them has been settled before it is asked. */
export async function boardPages(path: string, { queues, served, partitions }: BoardParts): Promise<FastifyInstance> {
  const serverAdapter = new FastifyAdapter();
  serverAdapter.setBasePath(path);
  const shown = () => queues.all().map((queue) => new BullMQAdapter(queue, { readOnlyMode: true, description: `${queue.name} tools` }));
  const board = createBullBoard({ queues: shown(), serverAdapter, options: { uiConfig: { boardTitle: 'Invoq queues' } } });
  const show = () => {
    for (const name of [...Object.keys(domains), ...served.queues]) for (const one of partitions.all(name)) queues.queue(one);
    board.setQueues(shown());
  };
  show();
  served.onQueues(show);
  partitions.onGrowth(show);
  const pages = fastify();
  await pages.register(serverAdapter.registerPlugin(), { prefix: path });
  return pages;
}
