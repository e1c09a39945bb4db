/** How the ledger reacts to one request for an effect. */
export type Reaction =
  | { readonly kind: 'answer' }
  /** Makes the effect and answers, later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Cuts the connection; the effect was not made. */
  | { readonly kind: 'reset-before' }
  /** Cuts the connection; the effect was made. */
  | { readonly kind: 'reset-after' }
  /** Answers with an error and makes no effect. `retryAfter` is sent as it is. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string };

/** Reactions by order, each used once; then the default. */
export class Reactions {
  readonly #byOrder = new Map<string, Reaction[]>();
  usual: Reaction = { kind: 'answer' };

  script(order: string, reactions: readonly Reaction[]): void {
    this.#byOrder.set(order, [...reactions]);
  }

  next(order: string): Reaction {
    return this.#byOrder.get(order)?.shift() ?? this.usual;
  }
}
