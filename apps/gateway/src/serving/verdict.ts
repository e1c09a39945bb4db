import type { ServedPlace } from '#lib/contracts';

/** What became of one tool that a worker announced. */
export interface Verdict {
  readonly name: string;
  readonly version: string;
  /** `pending`: an administrator has to approve it first. */
  readonly state: 'approved' | 'pending' | 'refused';
  /** Why it was refused, or has to be approved. */
  readonly reason?: string;
  /** What makes it hard to use for a model. */
  readonly warnings: readonly string[];
}

/** A verdict, with the fingerprint of what was announced; it is empty for one that is refused. */
export interface Judged extends Verdict {
  readonly fingerprint: string;
}

/** Who announces. */
export interface Announcer {
  readonly place: ServedPlace;
  /** The public id of its key. */
  readonly keyId: string;
  /** Whether the key lets what it announces be called. */
  readonly approves: boolean;
}
