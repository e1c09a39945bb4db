import { domains, isApiKey, Refusal, type Caller, type WorkerConnectionRequest } from '#lib/contracts';
import type { Database } from '#lib/platform';
import { storedKey } from '../callers/key-store.js';
import { stored } from '../http/stored.js';
import { unreachable } from './served-row.js';

/**
 * Whether the key of a worker approves what the worker announces. Throws PERMISSION_DENIED or UNAUTHORIZED for a key that may not connect one,
 * INVALID_PARAMS for a domain of Invoq, and NETWORK_ERROR.
 */
export async function mayApprove(
  database: Pick<Database, '$queryRaw'>,
  { credentialId, userId, actor, tenantId }: Caller,
  { domain }: WorkerConnectionRequest,
): Promise<boolean> {
  if (!isApiKey(credentialId) || actor) throw new Refusal('PERMISSION_DENIED', 'A worker connects with an API key of its own');
  if (Object.hasOwn(domains, domain))
    throw new Refusal('INVALID_PARAMS', `Parameter 'domain' must not be ${domain}, which is a domain of Invoq`, {
      details: [{ path: 'domain', message: 'is a domain of Invoq' }],
    });
  const key = await stored(unreachable, () => storedKey(database, credentialId));
  if (!key || key.tenantId !== tenantId || key.userId !== userId) throw new Refusal('UNAUTHORIZED', 'The API key is not valid');
  if (key.serves.length > 0 && !key.serves.includes(domain))
    throw new Refusal('PERMISSION_DENIED', `This key serves the domains ${key.serves.join(', ')}, and not ${domain}`, {
      details: [{ path: 'domain', message: `must be one of ${key.serves.join(', ')}` }],
    });
  return key.approvesTools;
}
