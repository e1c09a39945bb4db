// What the gateway answers of batches, by its wire contract. A later gateway may add fields.
import type { Envelope } from '#lib/contracts';
import type { Pagination } from './history-wire.js';

/** One call of a batch. */
export interface NewBatchCall {
  /** Tells it from the others in the results. */
  readonly id?: string | number;
  /** Name, alias or `name@range`. */
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Which failed calls are tried again: those that meet each filter, or those with these ids. */
export type ReplaySelection =
  | {
      readonly tool?: string;
      /** Canonical or the tool's own. */
      readonly code?: string;
      /** ISO 8601: ended at this time or after, and before. */
      readonly from?: string;
      readonly to?: string;
      /** Those that this key made for the user. */
      readonly user?: string;
    }
  | { readonly job_ids: readonly string[] };

export interface StartedBatch {
  readonly batch_id: string;
  readonly state: Batch['state'];
  readonly total: number;
}

/** The counts of calls add up to `total`. */
export interface Batch extends StartedBatch {
  readonly state: 'accepting' | 'running' | 'completed' | 'cancelled';
  /** Not called yet. */
  readonly waiting: number;
  readonly active: number;
  readonly resting: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Why it was cancelled. */
  readonly reason: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
}

export interface BatchPage {
  readonly batches: readonly Batch[];
  readonly pagination: Pagination;
}

/** What became of one call. `index` counts from 0. */
export type BatchLine = Envelope & { readonly id: string | number | null; readonly index: number };
