/** One request that has arrived. */
export interface Call {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  /** The end of the key that it came with; enough to tell two apart. */
  readonly key: string;
  readonly version: string | null;
  readonly requestId: string;
}

/** One link that was made. */
export interface Link {
  readonly at: number;
  readonly kind: 'account_link' | 'login_link';
  readonly account: string;
  readonly url: string;
  readonly idempotencyKey: string | null;
}

/** What has happened here, to judge callers by. */
export class Ledger {
  calls: Call[] = [];
  links: Link[] = [];

  clear(): void {
    this.calls = [];
    this.links = [];
  }
}
