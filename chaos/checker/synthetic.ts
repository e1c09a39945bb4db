// Handmade histories: one without faults, and functions that change it.
import type { AuditRecord, CallRecord, EndingSeen, EventSeen, FaultRecord, History } from '../history/history.js';
import type { OrderRecord } from '../../test/lab/ledger/book.js';

export const jobOf = (id: string): string => `inv_${id}`;

export function ending(id: string, rest: Partial<EndingSeen> = {}): EndingSeen {
  return { at: 1_100, where: 'answer', jobId: jobOf(id), ok: true, code: null, attempts: 1, envelope: `{"of":"${id}"}`, ...rest };
}

/** One that was answered well at once. */
export function call(id: string, rest: Partial<CallRecord> = {}): CallRecord {
  return {
    id,
    kind: 'effect',
    startedAt: 1_000,
    endedAt: 1_100,
    requests: [{ at: 1_000, ms: 100, gateway: 0, what: 'call', answer: 200 }],
    endings: [ending(id), ending(id, { where: 'audit' })],
    jobIds: [jobOf(id)],
    events: [],
    ...rest,
  };
}

/** Events with these places, the last one terminal. */
export function events(id: string, ...places: readonly number[]): readonly EventSeen[] {
  return places.map((seq, index) => ({ jobId: jobOf(id), seq, isTerminal: index === places.length - 1, connection: 1 }));
}

export function stream(id: string, seen: readonly EventSeen[], rest: Partial<CallRecord> = {}): CallRecord {
  return call(id, { kind: 'stream', events: seen, endings: [ending(id, { where: 'stream' }), ending(id, { where: 'audit' })], ...rest });
}

export function order(id: string, rest: Partial<OrderRecord> = {}): OrderRecord {
  const called = { key: jobOf(id), attempt: 1, pid: 1, at: 1_050 };
  return { order: id, calls: [called], effects: [{ id: `eff_${id}`, key: jobOf(id), at: 1_050 }], attempts: [], notes: [], ...rest };
}

export function audit(id: string, rest: Partial<AuditRecord> = {}): AuditRecord {
  return { callId: id, jobId: jobOf(id), status: 200, state: 'completed', inHistory: 1, ...rest };
}

export function fault(rest: Partial<FaultRecord> = {}): FaultRecord {
  return {
    id: 'F01.1',
    title: 'a kill',
    injectedAt: 1_050,
    healedAt: 2_000,
    hit: 25,
    recoveryMs: 500,
    error: null,
    mayFail: [],
    loss: null,
    findings: [],
    ...rest,
  };
}

/** Calls `a` (an effect) and `b` (a stream), both hit by one fault and both well. */
export function history(rest: Partial<History> = {}): History {
  return {
    calls: [call('a'), stream('b', events('b', 1, 2, 3))],
    audits: [audit('a'), audit('b')],
    upstream: [order('a')],
    faults: [fault()],
    deaths: [],
    ...rest,
  };
}
