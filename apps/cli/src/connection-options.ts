import type { NewOutsideServer } from '#lib/client';
import { UsageError } from '#lib/command-line';

/** Of commands that register servers. */
export const connectionOptions = {
  connection: { type: 'string', value: '<provider>', help: "each call is made with its caller's own account at this provider" },
  scopes: { type: 'string', value: '<list>', help: 'that the account needs, comma-separated' },
} as const;

/** What they say. Throws a UsageError for scopes of no provider. */
export function connectionOf({
  connection: provider,
  scopes,
}: {
  readonly connection?: string | undefined;
  readonly scopes?: string | undefined;
}): Pick<NewOutsideServer, 'connection'> {
  if (provider === undefined && scopes !== undefined) throw new UsageError('--scopes are those of an account: give --connection too');
  if (provider === undefined) return {};
  const list = scopes?.split(',').map((scope) => scope.trim());
  return { connection: { provider, ...(list && { scopes: list }) } };
}
