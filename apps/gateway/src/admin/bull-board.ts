import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '#lib/platform';
import type { ToolQueues } from '#lib/transport';
import { requireScope } from '../callers/guard.js';
import { sendProblem } from '../http/problem.js';

const path = '/admin/queues';

/**
 * The board, for administrators, to look at and not to touch. What it can show is redacted where it is written: a job's
 * data holds masked parameters, its return value one word, its failure a code.
 */
export async function installBullBoard(fastify: FastifyInstance, queues: ToolQueues, log: Logger): Promise<void> {
  const serverAdapter = new FastifyAdapter();
  serverAdapter.setBasePath(path);
  createBullBoard({
    queues: queues.all().map((queue) => new BullMQAdapter(queue, { readOnlyMode: true, description: `${queue.name} tools` })),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Invoq queues' } },
  });
  fastify.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith(path)) return;
    try {
      requireScope(request, 'admin');
    } catch (error) {
      sendProblem(request, reply, { error, log });
      return reply;
    }
    void reply.header('content-security-policy', "frame-ancestors 'none'");
  });
  await fastify.register(serverAdapter.registerPlugin(), { prefix: path });
}
