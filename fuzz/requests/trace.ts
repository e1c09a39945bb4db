// The number of a case travels in its W3C trace id, so that an upstream knows which case it answers.

const mark = 'f022';

export function traceparentFor(seed: number, number: number): string {
  // The first twelve digits are the trace id that callers see.
  return `00-${number.toString(16).padStart(12, '0')}${mark}${seed.toString(16).padStart(16, '0')}-00f067aa0ba902b7-01`;
}

/** Null for a trace that is not of a case. */
export function numberInTrace(traceparent: unknown): number | null {
  const found = typeof traceparent === 'string' ? /^00-([0-9a-f]{12})f022/.exec(traceparent) : null;
  return found?.[1] ? Number.parseInt(found[1], 16) : null;
}
