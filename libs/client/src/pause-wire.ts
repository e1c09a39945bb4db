// What the gateway answers of pauses, by its wire contract. A later gateway may add fields.

/** A call is paused that meets all of `tool`, `domain` and `tenant` that are given; one of them is needed. */
export interface NewPause {
  readonly tool?: string;
  readonly domain?: string;
  /** Whose calls. Default: those of all tenants for an operator, of the own one for everybody else. */
  readonly tenant?: string;
  /** For people who wonder why a call waits. */
  readonly reason: string;
  /** Whether calls that come meanwhile are refused, in the place of waiting. Default false. */
  readonly refuse?: boolean;
}

export interface Pause {
  readonly name: string;
  /** Who made it, and may delete it. */
  readonly by: 'operator' | 'tenant';
  /** Null for every one. */
  readonly tool: string | null;
  readonly domain: string | null;
  readonly tenant: string | null;
  readonly reason: string;
  readonly refuse: boolean;
  /** Calls that wait for its end; null where that is not the reader's to know. */
  readonly waiting: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** By name: those that the reader may delete, and those of the operator that calls of its tenant meet. */
export interface PauseList {
  readonly pauses: readonly Pause[];
}
