import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#lib/contracts';
import { requireScope } from '../http/scope.guard.js';
import { sendProblem } from '../http/problem.js';
import { isSafeMethod, type RouteFacts } from '../http/route.js';
import type { Stores } from '../stores.js';

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

/**
 * The board, for administrators, to look at and not to touch. What it can show is redacted where it is written: a job's
 * data holds masked parameters, its return value one word, its failure a code. Its pages are loaded when somebody first looks: they were an
 * eighth of a gateway's start.
 */
export async function installBullBoard(fastify: FastifyInstance, stores: Stores): Promise<void> {
  let loading: Promise<FastifyInstance> | null = null;
  const pages = () => {
    loading ??= import('./board-pages.js').then(async ({ boardPages }) => boardPages(path, stores));
    // Who asks again after a failure starts anew.
    loading.catch(() => (loading = null));
    return loading;
  };
  fastify.addHook('onClose', async () => (await loading)?.close());
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method, raw, headers } = request;
    const answer = await (
      await pages()
    ).inject({ method: method === 'HEAD' ? 'HEAD' : 'GET', url: raw.url ?? path, headers: conditionsOf(headers) });
    // The pages would tell it in a form of their own.
    if (answer.statusCode >= 400) throw new Refusal('RESOURCE_NOT_FOUND', 'The board has no such page');
    for (const name of passedOn) {
      const value = answer.headers[name];
      if (value !== undefined) void reply.header(name, value);
    }
    return reply.code(answer.statusCode).send(answer.rawPayload);
  };
  await fastify.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        try {
          requireScope(request);
          if (!isSafeMethod(request.method))
            throw new Refusal('METHOD_NOT_ALLOWED', 'The board changes nothing; use GET', { extra: { allow: 'GET, HEAD' } });
        } catch (error) {
          sendProblem(request, reply, { error, log: stores.log });
          return reply;
        }
        void reply.header('content-security-policy', policy);
      });
      scope.get('/', { config: { route: page } }, show);
      scope.all('/*', { config: { route: part } }, show);
    },
    { prefix: path },
  );
}

/** Headers of the pages' answers that reach the browser. The others are the gateway's own. */
const passedOn = ['content-type', 'cache-control', 'etag', 'last-modified', 'location'] as const;

/** What a browser says about the copy that it has. No credential goes further than here. */
function conditionsOf(headers: FastifyRequest['headers']): Record<string, string> {
  const { accept, 'if-none-match': tag, 'if-modified-since': since } = headers;
  return { ...(accept && { accept }), ...(tag && { 'if-none-match': tag }), ...(since && { 'if-modified-since': since }) };
}
