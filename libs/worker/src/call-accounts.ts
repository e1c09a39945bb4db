import { ProviderFault, type Accounts } from '#lib/accounts';
import { principal } from '#lib/contracts';
import { Failure, type AccountRecords } from '#lib/handlers';
import { askedRow, storeAsked, type AskedCall, type AskedStore, type Sealer } from '#lib/transport';

interface CallAccountsParts extends AskedStore {
  readonly accounts: Pick<Accounts, 'access'>;
  readonly sealer: Pick<Sealer, 'sealText'>;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
}

/** The accounts of callers, for the tools of the product and of tenants. */
export class CallAccounts {
  readonly #parts: CallAccountsParts;

  constructor(parts: CallAccountsParts) {
    this.#parts = parts;
  }

  /** Null for a tool that needs no account. */
  recordsOf(call: AskedCall): AccountRecords | null {
    const { head, contract } = call;
    const { connection } = contract;
    if (!connection) return null;
    const { accounts, sealer, now } = this.#parts;
    const { provider } = connection;
    const scopes = [...(connection.scopes ?? [])];
    const need = { tenantId: head.caller.tenantId, owner: principal(head.caller), provider, scopes };
    return {
      access: async (refused, more) => accounts.access(need, refused, more).catch(accountFailure),
      ask: async ({ id, message, until, more }) => {
        const times = { createdAt: Math.floor(now()), until: Math.floor(until) };
        const row = askedRow(sealer, call, {
          id,
          kind: 'connection',
          message,
          selfDecides: true,
          provider,
          scopes: [...new Set([...scopes, ...more])],
          ...times,
        });
        await storeAsked(this.#parts, row).catch(accountFailure);
      },
    };
  }
}

/** What is away may come back: the contract's rule retries. A provider that refuses our client goes on with it. */
export function accountFailure(cause: unknown): never {
  if (!(cause instanceof ProviderFault)) throw new Failure('network', 'The accounts of users cannot be reached at the moment', { cause });
  const isAway = cause.kind === 'away';
  throw new Failure(isAway ? 'network' : 'service', `The provider of the account: ${cause.message}`, { cause, retryable: isAway });
}
