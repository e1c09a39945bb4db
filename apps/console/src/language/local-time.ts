// Moments as `datetime-local` has them: on the clock of the reader, without a zone.

const minuteMs = 60_000;

/** `2026-11-27T09:30`; empty for none and for what is no moment. @param iso with an offset */
export function localOf(iso: string | null | undefined): string {
  const at = new Date(iso ?? '');
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
}

/** ISO 8601 of UTC; empty for an empty field and for half a moment. */
export function isoOf(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
