/** A request that was received. */
export interface LedgerCall {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  /** The last characters of its API key, enough to tell keys apart. */
  readonly key: string;
  readonly version: string | null;
  readonly requestId: string;
}

/** A link that was created. */
export interface Link {
  readonly at: number;
  readonly kind: 'account_link' | 'login_link';
  readonly account: string;
  readonly url: string;
  readonly idempotencyKey: string | null;
}

/** Everything that was requested and created, for assertions about callers. */
export class Ledger {
  calls: LedgerCall[] = [];
  links: Link[] = [];

  clear(): void {
    this.calls = [];
    this.links = [];
  }
}
