import { toEnvelope, type CallFacts, type Envelope, type Outcome } from '#lib/contracts';

/** What every door serialises: the outcome of a call and the facts of its metadata. */
export interface Answer {
  readonly outcome: Outcome;
  readonly facts: CallFacts;
}

/** The answer in the unified envelope (TU-18…28). */
export function envelopeOf({ outcome, facts }: Answer): Envelope {
  return toEnvelope(outcome, facts);
}
