import { toEnvelope, type CallFacts, type Envelope, type Outcome } from '#lib/contracts';

/** What every door serialises: the outcome of a call and the facts of its metadata. */
export interface Answer {
  readonly outcome: Outcome;
  readonly facts: CallFacts;
  /** Whether its data may have files that we have given links to. */
  readonly hasFiles?: boolean;
}

/** The answer in the unified envelope (TU-18…28). */
export function envelopeOf({ outcome, facts }: Answer): Envelope {
  return toEnvelope(outcome, facts);
}

const dataAt = '{"success":true,"status":"success","data":';

/** The text of the envelope of a success. @param answer without its data @param data as text */
export function envelopeTextOf({ outcome, facts }: Answer, data: string): string {
  const around = JSON.stringify(toEnvelope({ ...outcome, ok: true, data: null }, facts));
  return `${dataAt}${data}${around.slice(dataAt.length + 'null'.length)}`;
}

/** The data of a success alone; the envelope of an error. */
export function plainDataOf(answer: Answer): unknown {
  const envelope = envelopeOf(answer);
  return envelope.success ? envelope.data : envelope;
}
