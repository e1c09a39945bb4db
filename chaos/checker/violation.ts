import type { History } from '../history/history.js';
import type { Attribution } from './attribution.js';

/** What must hold, by the names of the reliability specification. */
export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I8' | 'I9' | 'I10' | 'I11';

export interface Violation {
  readonly invariant: Invariant;
  readonly kind: string;
  /** The fault that the call belongs to; `run` when it is not one call's. */
  readonly fault: string;
  /** The call that it is about; absent when it is not one call's. */
  readonly call?: string;
  /** What exactly, with the ids to look for in the history and the logs. */
  readonly detail: string;
}

export interface Case {
  readonly history: History;
  readonly attribution: Attribution;
}

export type Rule = (looked: Case) => readonly Violation[];
