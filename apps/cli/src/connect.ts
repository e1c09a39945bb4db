import { Invoq } from '#lib/client';
import { gatewayAddress, printError, startCommand, UsageError, type GatewayChoice } from '#lib/command-line';
import type { ProductTools } from '#lib/contracts';
import { lightFetch } from './light-fetch.js';

/** What the command line says of the gateway, before the name of the command. */
let choice: GatewayChoice = {};

/** For the command that runs next. */
export function chooseGateway(chosen: GatewayChoice): void {
  choice = chosen;
}

/** The address of the gateway that the command line or the settings name; empty where none is known. */
export function gatewayUrl(): string {
  return gatewayAddress(choice).url ?? '';
}

/** A client of the gateway that the command line or the settings name. @param as whose key is used where both are known */
export function connect(as: 'user' | 'admin' = 'user'): Invoq<ProductTools> {
  const { url, userKey, adminKey, note } = gatewayAddress(choice);
  if (!url) throw new UsageError(`No gateway is known. Set INVOQ_URL and INVOQ_API_KEY, or run ${startCommand} first.`);
  if (note !== undefined) printError(`note: ${note}`);
  try {
    return new Invoq<ProductTools>({ url, key: as === 'admin' ? (adminKey ?? userKey) : userKey, fetch: lightFetch });
  } catch {
    throw new UsageError(
      `${choice.url === undefined ? 'INVOQ_URL' : '--url'} must be an address such as http://127.0.0.1:3000, not '${url}'`,
    );
  }
}
