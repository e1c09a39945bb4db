import { join } from 'node:path';
import { root } from '#lib/command-line';

export interface ServedSources {
  /** Of the console. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Serves the console's sources, and puts what changes into the pages that are open. Everything else is asked of the gateway. The content
 * policy is that of the gateway's own pages: these have none, because the reloading needs inline scripts.
 */
export async function serveConsoleSources(gatewayUrl: string): Promise<ServedSources> {
  // Its configuration reads it when it is loaded.
  process.env['INVOQ_URL'] = gatewayUrl;
  // Loaded only here: no other command needs it.
  const { createServer } = await import('vite');
  const server = await createServer({ configFile: join(root, 'apps/console/vite.config.mjs'), logLevel: 'warn' });
  await server.listen();
  const address = server.resolvedUrls?.local[0];
  if (address === undefined) throw new Error('the console has no address');
  return { url: address, close: () => server.close() };
}
