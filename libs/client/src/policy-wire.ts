// What the gateway answers of policies, by its wire contract. A later gateway may add fields.

/** `deny`: the call is refused. `ask`: it rests until somebody approves it. */
type Ruling = 'deny' | 'ask';

export interface NewPolicy {
  /** CEL over `args`, `caller`, `tool` and `now`. */
  readonly when: string;
  readonly then: Ruling;
  /** What the caller is told, or the person who is asked. */
  readonly message?: string;
  /** For `ask`: how long a person has. Default: a day. */
  readonly expires_ms?: number;
  /** For `ask`: whether who made the call may approve it. Default false. */
  readonly self?: boolean;
}

export interface Policy {
  readonly name: string;
  readonly when: string;
  readonly then: Ruling;
  readonly message: string | null;
  readonly expires_ms: number | null;
  readonly self: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  /** Why it cannot be worked out; every call is denied then. */
  readonly problem: string | null;
}

export interface PolicyList {
  readonly policies: readonly Policy[];
}

/** A call that is not made. */
export interface PolicyTest {
  /** Instead of the tenant's policies. Default of `then`: `deny`. */
  readonly policy?: { readonly when: string; readonly then?: Ruling; readonly message?: string };
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** What differs from who asks. */
  readonly caller?: {
    readonly user?: string | null;
    readonly tier?: 'free' | 'pro' | 'vip';
    readonly scopes?: readonly string[];
    readonly key?: string;
  };
  /** When the call comes, ISO 8601 with an offset. Default: now. */
  readonly at?: string;
}

export interface PolicyVerdict {
  readonly outcome: 'allow' | Ruling;
  /** The one that counts. */
  readonly policy: string | null;
  readonly message: string | null;
  readonly policies: readonly {
    readonly name: string | null;
    readonly then: Ruling;
    /** Null where it could not be worked out. */
    readonly holds: boolean | null;
    readonly error: string | null;
    readonly because: readonly { readonly part: string; readonly value: boolean | null }[];
    readonly cost_us: number;
  }[];
}
