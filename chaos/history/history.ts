// What a run leaves behind: everything that clients saw, what the upstream knows, what was done to the system. The checker reads
// only this, so a run can be checked again from its file.
import type { OrderRecord } from '../../test/lab/ledger/book.js';

export type CallKind = 'effect' | 'calc' | 'stream' | 'async' | 'read' | 'lookup' | 'cancel' | 'follow' | 'poison';

/** One thing a client wanted, with all its requests: they carry one Idempotency-Key. */
export interface CallRecord {
  /** The Idempotency-Key, and the order at the ledger. */
  readonly id: string;
  readonly kind: CallKind;
  readonly startedAt: number;
  /** Null when the client gave up without an ending. */
  readonly endedAt: number | null;
  readonly requests: readonly RequestRecord[];
  readonly endings: readonly EndingSeen[];
  /** Every job id that an answer named. */
  readonly jobIds: readonly string[];
  readonly events: readonly EventSeen[];
}

export interface RequestRecord {
  readonly at: number;
  readonly ms: number;
  readonly gateway: number;
  readonly what: 'call' | 'poll' | 'stream' | 'cancel' | 'audit';
  /** HTTP status; else why there was none: connection refused, connection cut, or no answer in time. */
  readonly answer: number | 'refused' | 'cut' | 'hung';
  /** Of an answer that was not 2xx: whether it was an error envelope with a trace id. */
  readonly isEnvelope?: boolean;
  readonly code?: string;
}

/** How a job ended, as one door reported it. */
export interface EndingSeen {
  readonly at: number;
  readonly where: 'answer' | 'poll' | 'stream' | 'audit';
  readonly jobId: string;
  readonly ok: boolean;
  readonly code: string | null;
  readonly attempts: number;
  /** Canonical JSON of the whole envelope: two endings of one job must be equal. */
  readonly envelope: string;
}

export interface EventSeen {
  readonly jobId: string;
  readonly seq: number;
  readonly isTerminal: boolean;
  /** Which connection of this call brought it, from 1. */
  readonly connection: number;
}

/** What the audit after the run found for one job. */
export interface AuditRecord {
  readonly callId: string;
  readonly jobId: string;
  readonly status: number;
  readonly state: string | null;
  /** How often it is in the history of calls; absent where that was not asked. */
  readonly inHistory?: number;
}

export interface FaultRecord {
  readonly id: string;
  readonly title: string;
  readonly injectedAt: number;
  readonly healedAt: number;
  /** Invocations in flight when it was injected. */
  readonly hit: number;
  /** From healed to 90 % of the throughput before; null when that was not seen in time. */
  readonly recoveryMs: number | null;
  /** Why it could not be injected as it should. */
  readonly error: string | null;
  /** Kinds of calls that may fail because of it: what they need is away for longer than their retries last. */
  readonly mayFail: readonly CallKind[];
  /** What it may lose by the documented bound; null: nothing. */
  readonly loss: Loss | null;
  /** What the fault itself saw that was not as promised. */
  readonly findings: readonly string[];
}

/** Calls that were open, or ended, between a moment and the healing of a fault may be gone. */
export interface Loss {
  /** Epoch ms. */
  readonly from: number;
  /** Whether something must have been lost, or the trial says nothing. */
  readonly isCertain: boolean;
}

/** A fault that this machine cannot inject, and why. */
export interface SkippedFault {
  readonly id: string;
  readonly title: string;
  readonly why: string;
}

/** A process that ended without a fault that ends it. */
export interface DeathRecord {
  readonly at: number;
  readonly name: string;
  readonly how: string;
}

export interface History {
  readonly calls: readonly CallRecord[];
  readonly audits: readonly AuditRecord[];
  readonly upstream: readonly OrderRecord[];
  readonly faults: readonly FaultRecord[];
  readonly deaths: readonly DeathRecord[];
}
