// What a call did from its acceptance to its end, as pieces that follow each other: together they are the whole.
import type { Job, StreamEvent, Trace } from '#lib/client';
import { attemptsOf } from './own-attempts.js';

type SegmentKind = 'queue' | 'attempt' | 'delay' | 'rest';

export interface Segment {
  readonly kind: SegmentKind;
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
  /** Of an attempt: its number, and the code it failed with; null for one that did not, or that runs. */
  readonly attempt?: number;
  readonly code?: string | null;
}

interface AttemptTimes {
  readonly from: number;
  readonly to: number;
  readonly code: string | null;
}

interface CallTimes {
  readonly call: Pick<Job, 'job_id' | 'created_at' | 'started_at' | 'finished_at' | 'state'>;
  readonly events: readonly StreamEvent[];
  /** Its attempts to the millisecond; without it they are worked out from the events. */
  readonly trace: Pick<Trace, 'started_at' | 'spans'> | undefined;
}

/** @param now the end of a call that has none yet, epoch ms */
export function segmentsOf({ call, events, trace }: CallTimes, now: number): readonly Segment[] {
  const begin = Date.parse(call.created_at);
  const end = Math.max(begin, call.finished_at === null ? now : Date.parse(call.finished_at));
  const traced = trace ? tracedAttempts(trace, call.job_id) : [];
  const told = toldAttempts(call, events, end);
  const attempts = traced.length >= told.length ? traced : told;
  const gap = gapsOf(events);
  const segments: Segment[] = [];
  let at = begin;
  for (const [index, { from, to, code }] of attempts.entries()) {
    const start = clamp(from, at, end);
    segments.push(...gap(at, start));
    at = clamp(to, start, end);
    segments.push({ kind: 'attempt', from: start, to: at, attempt: index + 1, code });
  }
  const last = segments.at(-1);
  // The end is written a moment after the attempt.
  if (last?.kind === 'attempt' && call.finished_at !== null && end - at < writingMs) segments[segments.length - 1] = { ...last, to: end };
  else segments.push(...gap(at, end));
  return segments;
}

const writingMs = 50;

function tracedAttempts(trace: Pick<Trace, 'started_at' | 'spans'>, jobId: string): readonly AttemptTimes[] {
  const begun = Date.parse(trace.started_at);
  return attemptsOf(trace, jobId).map(({ offset_ms, duration_ms, attributes }) => ({
    from: begun + offset_ms,
    to: begun + offset_ms + duration_ms,
    code: typeof attributes['invoq.code'] === 'string' ? attributes['invoq.code'] : null,
  }));
}

function toldAttempts(call: CallTimes['call'], events: readonly StreamEvent[], end: number): readonly AttemptTimes[] {
  if (call.started_at === null) return [];
  const failures = events.filter((event) => event.event === 'tool_retrying');
  const starts = [Date.parse(call.started_at), ...failures.map(({ data }) => timeOf(data) + data.delay_ms)];
  const final = events.at(-1);
  const finalCode = final?.event === 'tool_error' ? (final.data.error?.code ?? null) : null;
  return starts
    .map((from, index) => {
      const failure = failures[index];
      return { from, to: failure ? timeOf(failure.data) : end, code: failure ? failure.data.error.code : finalCode };
    })
    .filter(({ from }) => from < end);
}

function timeOf({ metadata }: { readonly metadata: { readonly timestamp?: string } }): number {
  return metadata.timestamp === undefined ? 0 : Date.parse(metadata.timestamp);
}

/** Tells what a time between attempts was: a rest, the delay before a retry, and what is left over: waiting for a worker. */
function gapsOf(events: readonly StreamEvent[]): (from: number, to: number) => readonly Segment[] {
  const waits = events.flatMap((event, index): Segment[] => {
    if (event.event === 'tool_retrying') {
      const from = timeOf(event.data);
      return [{ kind: 'delay', from, to: from + event.data.delay_ms }];
    }
    if (event.event !== 'tool_resting') return [];
    const next = events.slice(index + 1).find((one) => one.event === 'tool_resumed');
    return [{ kind: 'rest', from: timeOf(event.data), to: next ? timeOf(next.data) : Number.POSITIVE_INFINITY }];
  });
  return (from, to) => {
    const pieces: Segment[] = [];
    let at = from;
    for (const wait of waits) {
      const [start, end] = [clamp(wait.from, at, to), clamp(wait.to, at, to)];
      if (end <= start) continue;
      if (start > at) pieces.push({ kind: 'queue', from: at, to: start });
      pieces.push({ kind: wait.kind, from: start, to: end });
      at = end;
    }
    if (to > at) pieces.push({ kind: 'queue', from: at, to });
    return pieces;
  };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
