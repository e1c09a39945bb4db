import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import { domains, Refusal } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { Partitions, ToolQueues } from '#lib/transport';
import { requireScope } from '../callers/scope.guard.js';
import { sendProblem } from '../http/problem.js';
import type { ServedDirectory } from '../serving/served-directory.js';
import { isSafeMethod, type RouteFacts } from '../http/route.js';

const path = '/admin/queues';
const part = { access: 'admin', challenge: 'basic', docs: null } as const satisfies RouteFacts;
const page: RouteFacts = {
  ...part,
  docs: { id: 'getQueues', summary: 'The queues on a page to read; administrators only', tag: 'operations', media: 'text/html' },
};

/** The board's own scripts, styles and data, and nothing of anybody else: it shows what callers sent. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface BoardParts {
  readonly queues: Pick<ToolQueues, 'all' | 'queue' | 'keepOwn'>;
  readonly partitions: Pick<Partitions, 'all' | 'onGrowth'>;
  /** The queues of tenants are shown while a worker serves them, or they hold calls. */
  readonly served: Pick<ServedDirectory, 'onQueues' | 'queues'>;
  readonly log: Logger;
}

/**
 * The board, for administrators, to look at and not to touch. What it can show is redacted where it is written: a job's
 * data holds masked parameters, its return value one word, its failure a code.
 */
export async function installBullBoard(fastify: FastifyInstance, { queues, served, partitions, log }: BoardParts): Promise<void> {
  const serverAdapter = new FastifyAdapter();
  serverAdapter.setBasePath(path);
  const shown = () => queues.all().map((queue) => new BullMQAdapter(queue, { readOnlyMode: true, description: `${queue.name} tools` }));
  const board = createBullBoard({ queues: shown(), serverAdapter, options: { uiConfig: { boardTitle: 'Invoq queues' } } });
  const show = () => {
    for (const name of [...Object.keys(domains), ...served.queues]) for (const one of partitions.all(name)) queues.queue(one);
    void queues
      .keepOwn(served.queues)
      .catch((error: unknown) => log.warn({ event: 'queue-fault', err: error }, 'a queue could not be closed'));
    board.setQueues(shown());
  };
  show();
  served.onQueues(show);
  partitions.onGrowth(show);
  await fastify.register(
    async (scope) => {
      // The plugin's routes know nothing of ours: each gets its facts as it is registered, whatever its path.
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, route: route.url === path ? page : part };
      });
      scope.addHook('onRequest', async (request, reply) => {
        try {
          requireScope(request);
          // The plugin refuses it too, in a form of its own.
          if (!isSafeMethod(request.method))
            throw new Refusal('METHOD_NOT_ALLOWED', 'The board changes nothing; use GET', { extra: { allow: 'GET, HEAD' } });
        } catch (error) {
          // The plugin would answer it in a form of its own.
          sendProblem(request, reply, { error, log });
          return reply;
        }
        void reply.header('content-security-policy', policy);
      });
      await scope.register(serverAdapter.registerPlugin());
    },
    { prefix: path },
  );
}
