import type { Decision, EndState, JobState, Rest } from '#lib/contracts';
import { decode, type Ending, type CallHead } from './codec.js';
import { movedState } from '../scripts/move-call.js';
import { nothingLogged } from '../scripts/shared.js';

export interface CallRecord {
  readonly jobId: string;
  readonly head: CallHead;
  readonly state: JobState;
  readonly deadline: number;
  readonly attempts: number;
  /** Place of the last event so far, from 1. */
  readonly lastSeq: number;
  readonly startedAt: number | null;
  readonly progress: { readonly progress: number; readonly message: string } | null;
  readonly ending: Ending | null;
  /** Null while it does not rest. */
  readonly rest: NumberedRest | null;
  /** Whether the rest of the record is in the database: it has no parameters, no events and no steps here. */
  readonly isMoved: boolean;
  /** Of a call that has rested. */
  readonly rested: Pick<Ending, 'restedMs' | 'readyAt'>;
  /** What its attempts have reported as costs, in millionths of a US dollar. */
  readonly reportedMicros: number;
  /** The model that they asked last; null where they asked none. */
  readonly model: string | null;
  /** What a person said last, of a call that has rested for it. */
  readonly decision: Decision | null;
}

/** A rest, and which of the call it is, from 1. */
export interface NumberedRest extends Rest {
  readonly number: number;
}

/** What is read of a record, in the order in which `toRecord` takes it. */
export const recordFields = [
  'head',
  'state',
  'deadline',
  'runs',
  'seq',
  'startedAt',
  'progress',
  'ending',
  'rest',
  'rests',
  'restedMs',
  'readyAt',
  'decision',
  'reported',
  'model',
] as const;

/** Null when there is no record under that id. */
export function toRecord(jobId: string, fields: readonly (string | null)[]): CallRecord | null {
  const [head, stored, deadline, runs, seq, startedAt, progress, ending, rest, rests, restedMs, readyAt, decision, reported, model] =
    fields;
  const isMoved = stored === movedState;
  const state = isMoved ? 'resting' : stored;
  if (!head || !isState(state)) return null;
  const ended = ending ? decode.ending(ending) : null;
  return {
    jobId,
    head: decode.head(head),
    state,
    deadline: Number(deadline),
    attempts: Number(runs),
    // The first and the last event are there without a log.
    lastSeq: Number(seq) === nothingLogged ? 2 : Number(seq),
    startedAt: startedAt ? Number(startedAt) : null,
    progress: progress ? parseProgress(progress) : null,
    ending: ended,
    isMoved,
    rest: rest && state === 'resting' ? { ...decode.rest(rest), number: Number(rests) } : null,
    rested: { ...(restedMs && { restedMs: Number(restedMs) }), ...(readyAt && { readyAt: Number(readyAt) }) },
    reportedMicros: Number(reported ?? 0),
    model: model ?? null,
    decision: ended?.decision ?? (decision ? decode.decision(decision) : null),
  };
}

function isState(state: string | null | undefined): state is JobState | EndState {
  return state !== null && state !== undefined;
}

function parseProgress(text: string): { progress: number; message: string } {
  const { progress, message }: { progress: number; message: string } = JSON.parse(text);
  return { progress, message };
}
