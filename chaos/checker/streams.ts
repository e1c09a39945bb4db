// I6: a reader that keeps coming back with its last id sees every event once, in order, and one terminal event, last.
import type { CallRecord, EventSeen } from '../history/history.js';
import type { Rule } from './violation.js';

export const brokenStream: Rule = ({ history: { calls }, attribution }) =>
  calls
    .filter(({ kind }) => kind === 'stream' || kind === 'follow')
    .flatMap((call) =>
      faultsOf(call).map(
        ({ kind, detail }) =>
          ({ invariant: 'I6', kind, fault: attribution.of(call.id), call: call.id, detail: `${call.id}: ${detail}` }) as const,
      ),
    );

interface Fault {
  readonly kind: 'stream-gap' | 'stream-duplicate' | 'stream-reorder' | 'event-after-end' | 'two-terminals' | 'no-terminal';
  readonly detail: string;
}

function faultsOf({ events, endedAt }: CallRecord): readonly Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<number>();
  let last = 0;
  let terminal: EventSeen | null = null;
  for (const event of events) {
    const { seq, isTerminal } = event;
    const what = `event ${seq} after ${last} on connection ${event.connection}`;
    if (seen.has(seq)) faults.push({ kind: 'stream-duplicate', detail: what });
    else if (seq < last) faults.push({ kind: 'stream-reorder', detail: what });
    else if (seq > last + 1) faults.push({ kind: 'stream-gap', detail: what });
    if (terminal) faults.push({ kind: isTerminal ? 'two-terminals' : 'event-after-end', detail: what });
    if (isTerminal) terminal = event;
    seen.add(seq);
    last = Math.max(last, seq);
  }
  // A stream that its client gave up is checked by the ending of its job.
  if (!terminal && events.length > 0 && endedAt !== null)
    faults.push({ kind: 'no-terminal', detail: `the gateway had nothing left after event ${last}` });
  return faults;
}
