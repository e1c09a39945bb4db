import type { Configuration, default as Provider } from 'oidc-provider';

/** A provider that keeps everything in memory. It warns of that at each start, which is not worth a line in a run of tests. */
export async function memoryProvider(issuer: string, configuration: Configuration): Promise<Provider> {
  const { default: OidcProvider } = await import('oidc-provider');
  const { console } = globalThis;
  globalThis.console = { ...console, warn: () => undefined };
  try {
    return new OidcProvider(issuer, configuration);
  } finally {
    globalThis.console = console;
  }
}
