import type { Trace } from '#lib/client';

type Span = Trace['spans'][number];

/** The spans of the attempts of one call, the first one first. A trace has several calls where a chat, a program of a model, or an agent with a trace of its own made it. */
export function attemptsOf({ spans }: Pick<Trace, 'spans'>, jobId: string): readonly Span[] {
  return spans
    .filter(({ attributes }) => typeof attributes['invoq.attempt'] === 'number' && attributes['invoq.job_id'] === jobId)
    .sort((a, b) => a.offset_ms - b.offset_ms);
}

/** The route that a call came in by: that of the nearest cause of its first attempt that has one. */
export function routeOf(trace: Pick<Trace, 'spans'>, jobId: string): string | null {
  const known = new Map(trace.spans.map((span) => [span.span_id, span]));
  let span = attemptsOf(trace, jobId)[0];
  // A circle of causes ends.
  for (let steps = 0; span !== undefined && steps <= known.size; steps++) {
    const route = span.attributes['http.route'];
    if (typeof route === 'string') return route;
    span = known.get(span.parent_span_id ?? '');
  }
  return null;
}
