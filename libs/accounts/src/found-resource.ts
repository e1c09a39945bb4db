// What a resource says of itself: where its tokens come from, and with which scopes (RFC 9728).
import * as oauth from 'oauth4webapi';
import { challengeParameter } from './challenge.js';
import type { OAuthRequests } from './oauth-requests.js';
import { providerFault, ProviderFault } from './provider-fault.js';

export interface FoundResource {
  /** As it writes itself: servers compare it letter by letter. */
  readonly resource: string;
  /** Its first authorization server. */
  readonly issuer: string;
  /** That it asks for; empty where it says none. */
  readonly scopes: readonly string[];
}

interface Challenge {
  /** Where its metadata is; null where it does not say so. */
  readonly metadata: URL | null;
  readonly scopes: readonly string[] | null;
}

type Options = OAuthRequests['options'];

/** A server of MCP asks for a token when it is spoken to, and some answer only to messages. This one has no effect. */
const ping = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' });

/**
 * Asks the resource, as MCP has it: its refusal names its metadata and scopes. Else the metadata is at the address that follows from its own,
 * with the path and without. Throws a ProviderFault.
 */
export async function foundResource({ options }: OAuthRequests, resource: string): Promise<FoundResource> {
  const url = new URL(resource);
  try {
    const { metadata, scopes } = await challengeOf(url, options);
    const said = metadata ? await metadataAt(metadata, url, options) : await wellKnown(url, options);
    const [issuer] = said.authorization_servers ?? [];
    if (issuer !== undefined && URL.canParse(issuer))
      return { resource: said.resource, issuer, scopes: scopes ?? said.scopes_supported ?? [] };
  } catch (error) {
    throw providerFault(error, 'the metadata of the resource');
  }
  throw new ProviderFault('unreadable', 'the metadata of the resource names no authorization server');
}

async function challengeOf(url: URL, options: Options): Promise<Challenge> {
  const send = options[oauth.customFetch];
  const asked = [
    { method: 'GET', headers: { accept: 'text/event-stream' } },
    { method: 'POST', headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }, body: ping },
  ];
  for (const request of asked) {
    const response = await send(url.href, request);
    await response.body?.cancel();
    const said = response.status === 401 ? response.headers.get('www-authenticate') : null;
    if (said === null) continue;
    const metadata = challengeParameter(said, 'resource_metadata');
    const scope = challengeParameter(said, 'scope');
    return {
      metadata: metadata !== null && URL.canParse(metadata) ? new URL(metadata) : null,
      scopes: scope?.split(' ').filter(Boolean) ?? null,
    };
  }
  return { metadata: null, scopes: null };
}

async function wellKnown(url: URL, options: Options): Promise<oauth.ResourceServer> {
  try {
    return await oauth.processResourceDiscoveryResponse(url, await oauth.resourceDiscoveryRequest(url, options));
  } catch (error) {
    if (url.pathname === '/' || providerFault(error, '').kind !== 'unreadable') throw error;
    return metadataAt(new URL('/.well-known/oauth-protected-resource', url), url, options);
  }
}

/** The metadata of this resource, or of a whole of which it is a part. */
async function metadataAt(at: URL, url: URL, options: Options): Promise<oauth.ResourceServer> {
  const response = await options[oauth.customFetch](at.href, { method: 'GET', headers: { accept: 'application/json' } });
  const copy = response.clone();
  const said = await oauth.processResourceDiscoveryResponse(url, response).catch(async (error: unknown) => {
    const body: unknown = await copy.json().catch(() => null);
    const whole = typeof body === 'object' && body !== null && 'resource' in body ? String(body.resource) : '';
    if (!isWithin(url, whole)) throw error;
    return oauth.processResourceDiscoveryResponse(new URL(whole), Response.json(body));
  });
  return said;
}

function isWithin(url: URL, whole: string): boolean {
  if (!URL.canParse(whole)) return false;
  const { origin, pathname } = new URL(whole);
  return origin === url.origin && `${url.pathname}/`.startsWith(pathname.endsWith('/') ? pathname : `${pathname}/`);
}
