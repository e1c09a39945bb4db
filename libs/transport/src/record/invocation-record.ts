import type { EndState, JobState } from '#lib/contracts';
import { decode, type Ending, type InvocationHead } from './codec.js';
import { nothingLogged } from '../scripts/shared.js';

export interface InvocationRecord {
  readonly jobId: string;
  readonly head: InvocationHead;
  readonly state: JobState;
  readonly deadline: number;
  readonly runs: number;
  /** Place of the last event so far, from 1. */
  readonly lastSeq: number;
  readonly startedAt: number | null;
  readonly progress: { readonly progress: number; readonly message: string } | null;
  readonly ending: Ending | null;
}

/** What is read of a record, in the order in which `toRecord` takes it. */
export const recordFields = ['head', 'state', 'deadline', 'runs', 'seq', 'startedAt', 'progress', 'ending'] as const;

/** Null when there is no record under that id. */
export function toRecord(jobId: string, fields: readonly (string | null)[]): InvocationRecord | null {
  const [head, state, deadline, runs, seq, startedAt, progress, ending] = fields;
  if (!head || !isState(state)) return null;
  return {
    jobId,
    head: decode.head(head),
    state,
    deadline: Number(deadline),
    runs: Number(runs),
    // The first and the last event are there without a log.
    lastSeq: Number(seq) === nothingLogged ? 2 : Number(seq),
    startedAt: startedAt ? Number(startedAt) : null,
    progress: progress ? parseProgress(progress) : null,
    ending: ending ? decode.ending(ending) : null,
  };
}

function isState(state: string | null | undefined): state is JobState | EndState {
  return state !== null && state !== undefined;
}

function parseProgress(text: string): { progress: number; message: string } {
  const { progress, message }: { progress: number; message: string } = JSON.parse(text);
  return { progress, message };
}
