import type { Accounts, MissingAccount } from '#lib/accounts';
import { principal, type Caller, type ConnectionNeed } from '#lib/contracts';
import { accountFailure } from '#lib/worker';
import { AccountElsewhere, AccountRefused, ScopesWanted, type UsedAccount } from './server-account.js';
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

/** What a server has just said of the token that it got. */
interface Again {
  /** It refuses this one. */
  readonly refused?: string;
  /** It wants these rights. */
  readonly more?: readonly string[];
}

/** Whose account, and whose tenant knows its provider. */
interface Owner {
  readonly tenantId: string;
  readonly owner: string;
}

export function ownerOf(caller: Caller): Owner {
  return { tenantId: caller.tenantId, owner: principal(caller) };
}

/** Gives the account for a request. */
type Access = (again?: Again) => Promise<UsedAccount | null>;

/** Of a call that cannot rest until its caller has connected an account: throws NoAccount. */
export function accessOf(accounts: Pick<Accounts, 'access'>, owner: Owner, { provider, scopes = [] }: ConnectionNeed): Access {
  return async ({ refused, more } = {}) => {
    const found = await accounts.access({ ...owner, provider, scopes }, refused, more).catch(accountFailure);
    if (found.kind === 'access') return found;
    throw new NoAccount(found);
  };
}

/**
 * With what an administrator reads the list of a server: their own account. Null where they have none: then the fixed headers have to do.
 * Throws NoAccount for a provider that nobody has set up.
 */
export function listingAccess(access: Access, { isForAll }: { readonly isForAll: boolean }): Access {
  return async (again) => {
    try {
      return await access(again);
    } catch (error) {
      if (error instanceof NoAccount && (isForAll || error.why !== 'provider')) return null;
      throw error;
    }
  };
}

/**
 * Uses a server with an account, and once more with another token where it refuses the first, or wants more rights.
 * @param access null for a server that needs none
 * @throws AccountRefused where it refuses that too
 */
export async function withAccount<Answer>(access: Access | null, use: (account: UsedAccount | null) => Promise<Answer>): Promise<Answer> {
  if (!access) return use(null);
  try {
    return await use(await access());
  } catch (error) {
    const other = await otherAccount(access, error);
    try {
      return await use(other);
    } catch (again) {
      // What a token may do is looked at after whether it is good.
      if (causeOf(error, ScopesWanted) || !causeOf(again, ScopesWanted)) throw again;
      return use(await otherAccount(access, again));
    }
  }
}

/** Throws the error where it says nothing of an account, or no other token is better. */
async function otherAccount(access: Access, error: unknown): Promise<UsedAccount | null> {
  const wants = causeOf(error, ScopesWanted);
  if (wants) {
    if (wants.scopes.length === 0) throw error;
    const found = await access({ more: wants.scopes });
    if (found === null || found.token === wants.token) throw error;
    return found;
  }
  const refused = causeOf(error, AccountRefused);
  if (!refused) throw error;
  return access({ refused: refused.token });
}

/** Whether an account is missing, or serves no more: trying again helps nothing until its user has done something. */
export function lacksAccount(error: unknown): boolean {
  return causeOf(error, NoAccount) !== null || causeOf(error, AccountRefused) !== null;
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
  const wants = causeOf(error, ScopesWanted);
  if (wants) {
    const rights = wants.scopes.length > 0 ? `the rights ${wants.scopes.join(', ')}` : 'more rights, and does not say which';
    return { literal: 'UPSTREAM_ACCOUNT_REFUSED', message: `${server} wants ${rights} of your account at ${provider}` };
  }
  if (!causeOf(error, AccountRefused)) return null;
  const message = `${server} refuses your account at ${provider}, also with a new token: it may not be allowed there, or ${server} takes no tokens of ${provider}`;
  return { literal: 'UPSTREAM_ACCOUNT_REFUSED', message };
}
