import type { Case } from '../requests/case.js';

/** Something that must not happen. */
export interface Violation {
  /** One word or two, to count by. */
  readonly rule: string;
  readonly detail: string;
  /** Null for what belongs to no single case. */
  readonly number: number | null;
  readonly sent?: Case;
  readonly step?: number;
}
