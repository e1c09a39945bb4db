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
  readonly #excused: ReadonlySet<string>;

  constructor(calls: readonly CallRecord[], faults: readonly FaultRecord[]) {
    this.#byCall = new Map(calls.map((call) => [call.id, faultsDuring(call, faults)[0]?.id ?? calm]));
    this.#excused = new Set(calls.filter((call) => faults.some((fault) => mayBeLost(call, fault))).map(({ id }) => id));
  }

  /** Whether a fault has lost this call within its documented bound: it may be gone, run again, and end in another way. */
  isExcused(callId: string): boolean {
    return this.#excused.has(callId);
  }

  of(callId: string): string {
    return this.#byCall.get(callId) ?? 'unknown';
  }
}

function mayBeLost({ startedAt, endedAt }: CallRecord, { loss, healedAt }: FaultRecord): boolean {
  return loss !== null && startedAt <= healedAt && (endedAt ?? Infinity) >= loss.from;
}
