import { Invoq } from '#lib/client';
import { gatewayAddress, startCommand, UsageError } from '#lib/command-line';
import type { ProductTools } from '#lib/contracts';

/** A client of the gateway that the settings name. @param as whose key is used where both are known */
export function connect(as: 'user' | 'admin' = 'user'): Invoq<ProductTools> {
  const { url, userKey, adminKey } = gatewayAddress();
  if (!url) throw new UsageError(`No gateway is known. Set INVOQ_URL and INVOQ_API_KEY, or run ${startCommand} first.`);
  try {
    return new Invoq<ProductTools>({ url, key: as === 'admin' ? (adminKey ?? userKey) : userKey });
  } catch {
    throw new UsageError(`INVOQ_URL must be an address such as http://127.0.0.1:3000, not '${url}'`);
  }
}
