import type { Accounts, MissingAccount } from '#lib/accounts';
import { principal, type Caller, type ConnectionNeed } from '#lib/contracts';
import { accountFailure } from '#lib/worker';
import { AccountElsewhere, AccountRefused, type UsedAccount } from './server-account.js';
import { causeOf } from './upstream-failure.js';

/** A caller has no account that serves. The message is for them, and for a model. */
class NoAccount extends Error {
  override readonly name = 'NoAccount';
  readonly why: MissingAccount['why'];

  constructor({ why, message }: Pick<MissingAccount, 'why' | 'message'>) {
    super(message);
    this.why = why;
  }
}

/** Gives the account for a request. @param refused a token that the server has just refused */
type Access = (refused?: string) => Promise<UsedAccount | null>;

/** Of a call that cannot rest until its caller has connected an account: throws NoAccount. */
export function accessOf(accounts: Pick<Accounts, 'access'>, caller: Caller, { provider, scopes = [] }: ConnectionNeed): Access {
  return async (refused) => {
    const found = await accounts
      .access({ tenantId: caller.tenantId, owner: principal(caller), provider, scopes }, refused)
      .catch(accountFailure);
    if (found.kind === 'access') return found;
    throw new NoAccount(found);
  };
}

/**
 * With what an administrator reads the list of a server: their own account. Null where they have none: then the fixed headers have to do.
 * Throws NoAccount for a provider that nobody has set up.
 */
export function listingAccess(access: Access, { isForAll }: { readonly isForAll: boolean }): Access {
  return async (refused) => {
    try {
      return await access(refused);
    } catch (error) {
      if (error instanceof NoAccount && (isForAll || error.why !== 'provider')) return null;
      throw error;
    }
  };
}

/**
 * Uses a server with an account, and once more with another token where it refuses the first. @param access null for a server that needs none
 * @throws AccountRefused where it refuses that too
 */
export async function withAccount<Answer>(access: Access | null, use: (account: UsedAccount | null) => Promise<Answer>): Promise<Answer> {
  if (!access) return use(null);
  try {
    return await use(await access());
  } catch (error) {
    const refused = causeOf(error, AccountRefused);
    if (!refused) throw error;
    return use(await access(refused.token));
  }
}

/** Why no account serves, for callers; null where an error says something else. */
export function accountFault(
  server: string,
  { provider }: ConnectionNeed,
  error: unknown,
): {
  readonly literal: 'UPSTREAM_NO_ACCOUNT' | 'UPSTREAM_ACCOUNT_REFUSED' | 'UPSTREAM_ACCOUNT_ELSEWHERE';
  readonly message: string;
} | null {
  const none = causeOf(error, NoAccount);
  if (none) return { literal: 'UPSTREAM_NO_ACCOUNT', message: `${server} acts with accounts of its callers. ${none.message}` };
  const elsewhere = causeOf(error, AccountElsewhere);
  if (elsewhere) return { literal: 'UPSTREAM_ACCOUNT_ELSEWHERE', message: elsewhere.message };
  if (!causeOf(error, AccountRefused)) return null;
  const message = `${server} refuses your account at ${provider}, also with a new token: it may not be allowed there, or ${server} takes no tokens of ${provider}`;
  return { literal: 'UPSTREAM_ACCOUNT_REFUSED', message };
}
