// Which fault a call belongs to: the first one that overlaps it in time.
import type { CallRecord, FaultRecord } from '../history/history.js';

/** For calls that no fault touched. */
export const calm = 'calm';

/** The faults that were under way, or not yet recovered from, while the call was. */
export function faultsDuring(call: Pick<CallRecord, 'startedAt' | 'endedAt'>, faults: readonly FaultRecord[]): readonly FaultRecord[] {
  return faults.filter(
    ({ injectedAt, healedAt, recoveryMs }) => call.startedAt <= healedAt + (recoveryMs ?? 0) && (call.endedAt ?? Infinity) >= injectedAt,
  );
}

export class Attribution {
  readonly #byCall: ReadonlyMap<string, string>;

  constructor(calls: readonly CallRecord[], faults: readonly FaultRecord[]) {
    this.#byCall = new Map(calls.map((call) => [call.id, faultsDuring(call, faults)[0]?.id ?? calm]));
  }

  of(callId: string): string {
    return this.#byCall.get(callId) ?? 'unknown';
  }
}
