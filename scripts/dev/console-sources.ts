import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '#lib/command-line';

export interface ServedSources {
  /** Of the console. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** The part that is used of a package which only the console has. */
interface Vite {
  readonly createServer: (options: { readonly configFile: string; readonly logLevel: 'warn' }) => Promise<{
    readonly listen: () => Promise<unknown>;
    readonly close: () => Promise<void>;
    readonly resolvedUrls: { readonly local: readonly string[] } | null;
  }>;
}

/**
 * Serves the console's sources, and puts what changes into the pages that are open. Everything else is asked of the gateway. The content
 * policy is that of the gateway's own pages: these have none, because the reloading needs inline scripts.
 */
export async function serveConsoleSources(gatewayUrl: string): Promise<ServedSources> {
  // Its configuration reads it when it is loaded.
  process.env['INVOQ_URL'] = gatewayUrl;
  const configFile = join(root, 'apps/console/vite.config.mjs');
  const { createServer }: Vite = await import(pathToFileURL(createRequire(configFile).resolve('vite')).href);
  const server = await createServer({ configFile, logLevel: 'warn' });
  await server.listen();
  const address = server.resolvedUrls?.local[0];
  if (address === undefined) throw new Error('the console has no address');
  return { url: address, close: () => server.close() };
}
