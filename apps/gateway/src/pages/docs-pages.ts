import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#lib/contracts';
import type { RouteFacts } from '../http/route.js';
import { pagesList } from './pages-list.js';

const path = '/docs';
const part = { access: 'open', docs: null } as const satisfies RouteFacts;
const facts: Readonly<Record<string, RouteFacts>> = {
  [path]: { ...part, docs: { id: 'getDocs', summary: 'The documentation, for people', tag: 'discovery', media: 'text/html' } },
  '/llms.txt': { ...part, docs: { id: 'getLlmsText', summary: 'Its pages, for agents', tag: 'discovery', media: 'text/plain' } },
};

/** Scripts are our files, and the WebAssembly of the search. Marks of code have their colours in `style` attributes. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const unbuilt = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Invoq</title></head>
  <body>
    <h1>The documentation is not built</h1>
    <p>Run <code>npm run docs</code>, then start the gateway again. Until then, its pages are Markdown in the folder <code>docs</code>.</p>
  </body>
</html>
`;

/**
 * Serves the built documentation to everybody: it holds nothing of any caller.
 * @param folder what `npm run docs` built, or its pages as Markdown alone, as in the package `invoq`; the first page says what there is
 */
export async function installDocs(fastify: FastifyInstance, folder: string): Promise<void> {
  const hasSite = existsSync(join(folder, 'index.html'));
  const llms = join(folder, 'llms.txt');
  const hasPages = existsSync(llms);
  const first = hasPages ? pagesList(readFileSync(llms, 'utf8')) : unbuilt;
  await fastify.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, route: facts[route.url] ?? part };
    });
    if (hasPages)
      await scope.register(fastifyStatic, {
        root: resolve(folder),
        prefix: `${path}/`,
        decorateReply: false,
        dotfiles: 'ignore',
        redirect: true,
        cacheControl: false,
        setHeaders: (response, file) => {
          // The name of a file of Astro is the hash of what is in it.
          const cache = file.includes('/_astro/') ? 'public, max-age=31536000, immutable' : 'public, no-cache';
          response.header('content-security-policy', policy);
          response.header('cache-control', cache);
          if (file.endsWith('.md')) response.header('content-type', 'text/markdown; charset=utf-8');
        },
      });
    const sendFirst = (_request: FastifyRequest, reply: FastifyReply): void =>
      void reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(first);
    scope.get(path, (request, reply) => {
      if (hasSite) void reply.redirect(`${path}/`);
      else sendFirst(request, reply);
    });
    if (!hasSite) scope.get(`${path}/`, sendFirst);
    // Links of people lead to pages that are not built here. Programs read no page.
    if (!hasPages)
      scope.get(`${path}/*`, (request, reply) => {
        if (!request.headers.accept?.includes('text/html')) throw new Refusal('RESOURCE_NOT_FOUND', 'The documentation is not built here');
        sendFirst(request, reply.status(404));
      });
    scope.get('/llms.txt', (_request, reply) => {
      if (hasPages) void reply.redirect(`${path}/llms.txt`);
      else
        void reply
          .type('text/plain; charset=utf-8')
          .send('The documentation is not built. Whoever runs this server can build it with `npm run docs`.\n');
    });
  });
}
