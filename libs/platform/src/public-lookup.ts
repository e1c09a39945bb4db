import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPrivateAddress } from './address-rules.js';

/** Requests to this address are forbidden. The message names the address and the rule. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** Refuses names that resolve to a private address now, whatever they resolved to before (DNS rebinding). */
export const lookupPublicOnly: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const [first] = addresses;
    const refused = addresses.find(({ address }) => isPrivateAddress(address));
    if (refused || !first) return callback(new AddressRefused(`the host ${hostname} is in a private network`), []);
    return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};
