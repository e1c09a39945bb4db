import { inspect } from 'node:util';
import { Failure, failureKindOf } from '#lib/handlers';
import type { OutsideServer } from '#lib/contracts';

/** The account of a caller, as a request to a server needs it. */
export interface UsedAccount {
  readonly token: string;
  readonly header: { readonly name: string; readonly value: string };
  readonly account: { readonly id: string; readonly resource: string | null };
}

/** A server refuses a token with 401, so it has not acted on the request. */
export class AccountRefused extends Failure {
  /** Private, so that no log writes it with the error. */
  readonly #token: string;

  constructor(token: string, message = 'the server refuses the token of the account') {
    super('service', message, { retryable: false });
    this.#token = token;
  }

  get token(): string {
    return this.#token;
  }
}

/** A server wants more rights than a token has (403, `insufficient_scope`): it has not acted either. */
export class ScopesWanted extends AccountRefused {
  /** Empty where it does not say which. */
  readonly scopes: readonly string[];

  constructor(token: string, scopes: readonly string[]) {
    super(token, 'the server wants more rights than the token of the account has');
    this.scopes = scopes;
  }
}

/** A token is for another server: it was not sent. */
export class AccountElsewhere extends Failure {
  constructor(server: string, resource: string) {
    super('service', `The account is for ${resource}, where ${server} is not: its token was not sent`, { retryable: false });
  }
}

/** The account with which the requests of one connection are made. Several calls of one user share it. */
export class ServerAccount {
  readonly id: string;
  #used: UsedAccount;
  #refused: string | null = null;

  constructor(used: UsedAccount) {
    this.id = used.account.id;
    this.#used = used;
  }

  /** From now on requests have this token, unless the server has refused it meanwhile. */
  use(used: UsedAccount): void {
    if (used.token !== this.#refused) this.#used = used;
  }

  get current(): UsedAccount {
    return this.#used;
  }

  /** An error without what its server said, where that has the token in it: errors are logged, and shown to operators. */
  cleaned(error: unknown): unknown {
    const { token } = this.#used;
    if (!inspect(error, { depth: 10, maxStringLength: null }).includes(token)) return error;
    return new Failure(failureKindOf(error), 'the server answered with an error that has the token in it', {
      retryable: !(error instanceof Failure) || error.retryable,
    });
  }

  /** What a request throws that was answered with 401. */
  refused({ token }: UsedAccount): AccountRefused {
    this.#refused = token;
    return new AccountRefused(token);
  }
}

/**
 * Throws AccountElsewhere for a server that is not where the tokens of an account are for: an administrator may have given it another address,
 * and nobody has consented to that.
 */
export function requireMeant(server: Pick<OutsideServer, 'name' | 'url' | 'openapi'>, { account }: Pick<UsedAccount, 'account'>): void {
  const { resource } = account;
  if (resource === null) return;
  const address = server.openapi?.baseUrl ?? server.url;
  if (address === null || !covers(new URL(resource), new URL(address))) throw new AccountElsewhere(server.name, resource);
}

/** Whether an address is at a resource or below it. */
function covers(resource: URL, address: URL): boolean {
  const path = resource.pathname.replace(/\/+$/, '');
  return resource.origin === address.origin && (address.pathname === path || address.pathname.startsWith(`${path}/`));
}
