import type { Ending } from './codec.js';

/** What the attempts of a call have reported. */
export interface Reported {
  /** Costs, in millionths of a US dollar. */
  readonly reportedMicros: number;
  /** The model that they asked last; null where they asked none. */
  readonly model: string | null;
}

/** The same as an end has it. */
export function reportedIn({ reportedMicros, model }: Reported): Pick<Ending, 'reportedMicros' | 'model'> {
  return { ...(reportedMicros > 0 && { reportedMicros }), ...(model !== null && { model }) };
}
