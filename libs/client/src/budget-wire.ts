// What the gateway answers of budgets, by its wire contract. A later gateway may add fields.

/** One of the two limits is needed. */
export interface NewBudget {
  /** Only calls of this user. */
  readonly user?: string;
  /** Only calls by this key: its public id. */
  readonly key?: string;
  /** Only calls of this tool. */
  readonly tool?: string;
  readonly period: 'day' | 'month';
  /** IANA: whose midnight begins a period. Default UTC. */
  readonly time_zone?: string;
  /** Millionths of a US dollar. */
  readonly limit_micros?: number;
  readonly limit_calls?: number;
  /** The share of a limit from which on it warns. Default 0.8. */
  readonly warn_at?: number;
}

export interface Budget {
  readonly name: string;
  readonly tenant: string;
  /** Null for all. */
  readonly user: string | null;
  readonly key: string | null;
  readonly tool: string | null;
  readonly period: 'day' | 'month';
  readonly time_zone: string;
  readonly limit_micros: number | null;
  readonly limit_calls: number | null;
  readonly warn_at: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** In the present period: by calls that have ended, and held for those that are open. */
  readonly spent: {
    readonly micros: number;
    readonly calls: number;
    readonly reserved_micros: number;
    readonly reserved_calls: number;
    readonly since: string;
    readonly resets_at: string;
  };
}

/** By name: all that the tenant has. */
export interface BudgetList {
  readonly budgets: readonly Budget[];
}
