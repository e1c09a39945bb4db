import type { RequestOptions } from './call-request.js';
import type { Job } from './call-wire.js';

export interface JobFilter {
  readonly state?: Job['state'];
  readonly tool?: string;
  /** 1–100, default 20. */
  readonly limit?: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}

export interface PartOptions extends RequestOptions {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Calls that have not ended. */
export interface OpenFilter {
  readonly tool?: string;
  readonly state?: 'waiting' | 'active' | 'delayed' | 'resting';
  /** Accepted at this time or after, and before; ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  /** Those of this user, for whom the key may act. */
  readonly user?: string;
}
