import { isJsonObject } from '#lib/contracts';
import { listOf, textOf, UnusableDocument } from './document.js';

/** As `base_url` has. */
const mostLength = 2_000;

/**
 * The address of the first server that is named, with the defaults of its variables; undefined where none is.
 * @param documentUrl what a relative address begins at
 * @throws UnusableDocument for one that is no address
 */
export function serverAddress(servers: unknown, documentUrl: string | null): string | undefined {
  const server = listOf(servers).find(isJsonObject);
  if (!server) return undefined;
  const { variables } = server;
  const filled = (textOf(server['url']) ?? '/').replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = isJsonObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    return (isJsonObject(variable) ? textOf(variable['default']) : undefined) ?? whole;
  });
  const address = URL.parse(filled, documentUrl ?? undefined);
  if (!address || !/^https?:$/.test(address.protocol) || /[{\p{Cc}]/u.test(filled) || filled.length > mostLength)
    throw new UnusableDocument(`The document names the server '${filled.slice(0, 100)}', which is no address: give 'base_url'`);
  return address.href;
}
