import type { Trace } from '#lib/client';
import { attemptsOf } from './own-attempts.js';

/** One line that a tool logged. */
export interface LogLine {
  readonly attempt: number;
  /** Epoch ms. */
  readonly at: number;
  readonly level: string;
  readonly message: string;
}

/** Lines of an attempt that are not in the trace. */
interface LeftOut {
  readonly attempt: number;
  readonly count: number;
}

const line = /^(\d+) ms (\w+): (.*)$/s;
const more = /^… (\d+) more/;

/** What the tool logged in each attempt of a call, as the spans of its trace have it, and how much of it they have not. */
export function logOf(
  trace: Pick<Trace, 'started_at' | 'spans'>,
  jobId: string,
): {
  readonly lines: readonly LogLine[];
  readonly leftOut: readonly LeftOut[];
} {
  const lines: LogLine[] = [];
  const leftOut: LeftOut[] = [];
  const begun = new Date(trace.started_at).getTime();
  for (const { offset_ms, attributes } of attemptsOf(trace, jobId)) {
    const { 'invoq.log': logged, 'invoq.attempt': attempt } = attributes;
    if (!Array.isArray(logged)) continue;
    for (const text of logged.map(String)) {
      const [, ms, level = '', message = ''] = line.exec(text) ?? [];
      const count = more.exec(text)?.[1];
      if (ms !== undefined) lines.push({ attempt: Number(attempt), at: Math.round(begun + offset_ms + Number(ms)), level, message });
      else if (count !== undefined) leftOut.push({ attempt: Number(attempt), count: Number(count) });
    }
  }
  return { lines: lines.sort((a, b) => a.at - b.at), leftOut };
}
