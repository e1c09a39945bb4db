// Visitors without a credential (C-63). Only the guest doors make such a caller: no key's id and no token's begins like this.
import type { Caller } from '../scopes.js';

export const guestTenant = 'guests';
/** Of a guest's credential id; the address follows. */
export const guestCredential = 'guest:';

type Named = Pick<Caller, 'tenantId' | 'userId' | 'credentialId'>;

export function isGuest({ tenantId, credentialId }: Named): boolean {
  return tenantId === guestTenant && credentialId.startsWith(guestCredential);
}

/** Whom a day's chats are counted by: a guest's by address, however many cookies it has. */
export function chatQuotaSubject(caller: Named): Named {
  const { tenantId, credentialId } = caller;
  return isGuest(caller) ? { tenantId, credentialId, userId: null } : caller;
}
