import type { StreamEvent } from '#lib/client';

/** A line of a timeline: an event, or so many reports of progress that are not shown. */
export type TimelineLine =
  | { readonly kind: 'event'; readonly event: StreamEvent; readonly attempt: number }
  | { readonly kind: 'left'; readonly id: string; readonly count: number };

/** Of reports that follow each other, so many of the first and of the last are lines. */
const shownAtEnds = 10;

/** The lines of the events of a call. A tool may report its progress a thousand times: of a long run the middle is a number. */
export function linesOf(events: readonly StreamEvent[]): readonly TimelineLine[] {
  const lines: TimelineLine[] = [];
  let attempt = 1;
  let start = 0;
  while (start < events.length) {
    let end = start + 1;
    if (isProgress(events[start])) while (isProgress(events[end])) end++;
    const run = events.slice(start, end);
    const left = run.slice(shownAtEnds, -shownAtEnds);
    const [first] = left;
    const line = (event: StreamEvent): TimelineLine => ({ kind: 'event', event, attempt });
    if (first) {
      lines.push(...run.slice(0, shownAtEnds).map(line), { kind: 'left', id: first.id, count: left.length });
      lines.push(...run.slice(-shownAtEnds).map(line));
    } else {
      lines.push(...run.map(line));
    }
    if (events[start]?.event === 'tool_retrying') attempt++;
    start = end;
  }
  return lines;
}

function isProgress(event: StreamEvent | undefined): boolean {
  return event?.event === 'tool_progress';
}
