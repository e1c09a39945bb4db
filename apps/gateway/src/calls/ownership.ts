import { hasScope, principal, type Caller } from '#lib/contracts';

/** A call is read by its own caller and by administrators. To everybody else it does not exist. */
export function mayRead(reader: Caller, maker: Caller): boolean {
  return principal(reader) === principal(maker) || hasScope(reader, 'admin');
}
