/** A server that asks for more does not know when it is back. */
const longestMs = 86_400_000;

/**
 * How long a `Retry-After` header asks to wait (RFC 9110): whole seconds or a date.
 * @returns whole milliseconds, a day at most, 0 for a date that has passed; undefined for anything else, which is no hint
 */
export function retryAfterMs(header: string | null | undefined, now: number): number | undefined {
  if (header === null || header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Math.min(longestMs, Number(header) * 1_000);
  const date = Date.parse(header);
  return header.endsWith('GMT') && !Number.isNaN(date) ? Math.min(longestMs, Math.max(0, date - now)) : undefined;
}
