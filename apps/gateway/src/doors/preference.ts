import { Refusal } from '#lib/contracts';

/** How long a JSON caller waits: until the tool's whole deadline, or so many seconds and then 202. */
export type WaitPreference = { readonly kind: 'deadline' } | { readonly kind: 'seconds'; readonly seconds: number };

/** @limit calls: seconds that Prefer: wait may ask for; it waits so long */
const maxWaitSeconds = 60;

/** `Prefer: respond-async`, `Prefer: wait=N` (RFC 7240). What it does not know it ignores, as the RFC says. */
export function waitPreferenceOf(prefer: string | readonly string[] | undefined): WaitPreference {
  if (prefer === undefined) return untilDeadline;
  const preferences = [prefer].flat().join(',').toLowerCase();
  const wait = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/.exec(preferences)?.[1];
  if (wait !== undefined) return { kind: 'seconds', seconds: Math.min(maxWaitSeconds, Number(wait)) };
  return /(?:^|[,;\s])respond-async(?:$|[,;\s])/.test(preferences) ? { kind: 'seconds', seconds: 0 } : untilDeadline;
}

const untilDeadline: WaitPreference = { kind: 'deadline' };

/** `?wait=N` of a poll. Throws INVALID_PARAMS. */
export function waitParameter(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === 'string' && /^\d{1,6}(\.\d+)?$/.test(value)) return Math.min(maxWaitSeconds, Number(value));
  const message = `Parameter 'wait' must be a number of seconds, 0–${maxWaitSeconds}`;
  throw new Refusal('INVALID_PARAMS', message, { details: [{ path: 'wait', message }] });
}

interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

const onlyJson: Accepted = { json: true, stream: false };

/** Which of the two kinds of answer the client can read; one that says nothing reads JSON (C-25). */
export function acceptedTypes(accept = '*/*'): Accepted {
  if (accept === '*/*' || accept === 'application/json') return onlyJson;
  const types = accept.split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
  const stream = types.includes('text/event-stream');
  const json = types.some((type) => type === 'application/json' || type === '*/*' || type === 'application/*') || !stream;
  return { json, stream };
}
