import { hasScope, principal, type Caller } from '#lib/contracts';

/** A call is read by whoever made it, and by administrators. Everybody else is told that it does not exist. */
export function mayRead(reader: Caller, maker: Caller): boolean {
  return principal(reader) === principal(maker) || hasScope(reader, 'admin');
}
