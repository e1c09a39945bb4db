import type { ProfileRow } from './row-schema.js';

export interface CheckedProfile {
  readonly line: number;
  readonly profile: ProfileRow;
}

/** A row whose user is on an earlier line already. */
export interface RepeatedUser {
  readonly line: number;
  readonly firstLine: number;
}

/** What the rows of an import mean for the profiles that are there. */
export interface Difference {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
}

export interface Finish {
  /** How many rows it was given and kept. */
  readonly rows: number;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  readonly onStep: (step: 'comparing' | 'moving') => void;
}

/** Where the good rows of a file go. */
export interface Destination {
  /** Takes rows, and gives back those whose user it has. */
  readonly add: (rows: readonly CheckedProfile[]) => Promise<readonly RepeatedUser[]>;
  /** Loads what it was given, or in a dry run compares it. */
  readonly finish: (options: Finish) => Promise<Difference>;
  /** Forgets what it was given and has not loaded. */
  readonly drop: () => Promise<void>;
}
