const dayMs = 86_400_000;
let latest = { number: Number.NaN, text: '' };

/** `2026-01-31`, by UTC. It is made once a day: every request asks. */
export function utcDay(now: Date): string {
  const number = Math.floor(now.getTime() / dayMs);
  if (number !== latest.number) latest = { number, text: now.toISOString().slice(0, 10) };
  return latest.text;
}
