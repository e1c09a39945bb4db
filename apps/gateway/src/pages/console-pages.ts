import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Refusal } from '#lib/contracts';
import type { RouteFacts } from '../http/route.js';

const path = '/console';
const part = { access: 'open', docs: null } as const satisfies RouteFacts;
const page: RouteFacts = {
  ...part,
  docs: { id: 'getConsole', summary: 'The console, for people; it signs in by itself', tag: 'operations', media: 'text/html' },
};
/** What is below the page and no screen of it: its files, and the session. */
const noScreen = /^(assets|session|tickets|oidc)(\/|$)/;
/** Where the built page wants the nonce of the response. */
const noncePlace = '__CSP_NONCE__';

const unbuilt = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Invoq</title></head>
  <body>
    <h1>The console is not built</h1>
    <p>Run <code>npm run build</code>, or <code>npm start</code>, which builds it. Then start the gateway again.</p>
  </body>
</html>
`;

/**
 * Serves the built console: its page at every address below `/console`, its hashed files for a year.
 * @param folder what Vite built; the page says how to build it while there is none
 */
export async function installConsole(fastify: FastifyInstance, folder: string): Promise<void> {
  const assets = resolve(folder, 'assets');
  await fastify.register(
    async (scope) => {
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, route: route.url === path ? page : part };
      });
      if (existsSync(assets))
        await scope.register(fastifyStatic, {
          root: assets,
          prefix: '/assets/',
          decorateReply: false,
          index: false,
          // A route for each file that is there now: what was not built is no file of ours.
          wildcard: false,
          immutable: true,
          maxAge: '365d',
          setHeaders: (response) => void response.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'"),
        });
      scope.get('', async (_request, reply) => sendPage(reply, folder));
      // The page reads the rest of the address.
      scope.get<{ Params: { '*': string } }>('/*', async ({ params }, reply) => {
        if (noScreen.test(params['*'])) throw new Refusal('RESOURCE_NOT_FOUND', 'The console has nothing here; reload the page');
        return sendPage(reply, folder);
      });
    },
    { prefix: path },
  );
}

async function sendPage(reply: FastifyReply, folder: string): Promise<string> {
  const nonce = randomBytes(16).toString('base64');
  void reply.type('text/html; charset=utf-8').headers({ 'content-security-policy': policy(nonce), 'cache-control': 'no-store' });
  // Read each time: it may be built anew.
  const text = await readFile(join(folder, 'index.html'), 'utf8').catch(() => unbuilt);
  return text.replaceAll(noncePlace, nonce);
}

/** No origin but ours, no script but our files, no text that becomes a script. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}
