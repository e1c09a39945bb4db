// Visitors without a credential (C-63). Only the guest doors make such a caller: no id of a key or a token has this prefix.
import type { Caller } from '../scopes.js';

export const guestTenant = 'guests';
/** Prefix of a guest's credential id. The network address follows it. */
export const guestCredential = 'guest:';

type Named = Pick<Caller, 'tenantId' | 'userId' | 'credentialId'>;

export function isGuest({ tenantId, credentialId }: Named): boolean {
  return tenantId === guestTenant && credentialId.startsWith(guestCredential);
}

/** The identity that the daily chat quota counts. A guest is counted by address, so new cookies do not renew the quota. */
export function chatQuotaSubject(caller: Named): Named {
  const { tenantId, credentialId } = caller;
  return isGuest(caller) ? { tenantId, credentialId, userId: null } : caller;
}
