// What the gateway answers of flows, by its wire contract. A later gateway may add fields.

/** Calls that meet both `tool` and `domain`, where they are given. `concurrency` or `rate` is needed. */
export interface NewFlow {
  readonly tool?: string;
  readonly domain?: string;
  /** CEL over `args`, `caller` and `tool`: calls with the same value are in one line. Default: all calls of the flow are. */
  readonly key?: string;
  /** How many calls of a line run at a time. */
  readonly concurrency?: number;
  /** How many calls of a line begin in so many ms. */
  readonly rate?: { readonly max: number; readonly per_ms: number };
}

export interface Flow {
  readonly name: string;
  /** Who made it, and may change it. */
  readonly by: 'operator' | 'tenant';
  /** Null for every one. */
  readonly tool: string | null;
  readonly domain: string | null;
  /** Null where all its calls are in one line. */
  readonly key: string | null;
  /** Null for any number. */
  readonly concurrency: number | null;
  readonly rate: { readonly max: number; readonly per_ms: number } | null;
  /** Calls that wait in its lines, a few seconds ago; null where that is not the reader's to know. */
  readonly waiting: number | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** Why its key cannot be worked out by this version of the gateway; null where it can. */
  readonly problem: string | null;
}

/** A line in which calls wait for each other. */
export interface WaitingLine {
  /** The name of its flow; of the tool, where the contract of a tool brings it. */
  readonly flow: string;
  readonly by: 'operator' | 'tenant' | 'contract';
  /** What its calls have in common: `account 17`; null where that cannot be told now. */
  readonly of: string | null;
  /** What it lets through; null for any number. */
  readonly concurrency: number | null;
  readonly rate: { readonly max: number; readonly per_ms: number } | null;
  /** Calls that have a place in it, and calls that wait for one. */
  readonly running: number;
  readonly waiting: number;
  /** The job that is the next, and since when it waits. */
  readonly first: string;
  readonly since: string;
}

/** The longest lines, the longest first, and how many there are. */
export interface WaitingLineList {
  readonly lines: readonly WaitingLine[];
  readonly total: number;
}

export interface WaitingLineFilters {
  /** Only lines of flows of this name. */
  readonly flow?: string;
  /** 1–100, 50 by default. */
  readonly limit?: number;
}

/** By name: those that the reader may change, and those of the operator. */
export interface FlowList {
  readonly flows: readonly Flow[];
}
