// In a file of its own, so that it is loaded when it is first needed: many processes have no providers.
import { Agent, fetch } from 'undici';
import { lookupPublicOnly, type AddressRules } from '#lib/platform';

const connectMs = 5_000;

/** A fetch on connections to providers, as the rules allow them. @param maxBytes of an answer on the wire */
export function providerAgent({ allowPrivate }: AddressRules, maxBytes: number) {
  const dispatcher = new Agent({
    connect: { timeout: connectMs, ...(!allowPrivate && { lookup: lookupPublicOnly }) },
    maxResponseSize: maxBytes,
  });
  return async (url: URL, init: NonNullable<Parameters<typeof fetch>[1]>) => fetch(url, { ...init, dispatcher });
}
