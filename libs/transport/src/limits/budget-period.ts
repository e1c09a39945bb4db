import type { BudgetPeriod } from '#lib/contracts';
import { localAt, momentOf } from '#lib/platform';

const dayMs = 86_400_000;

/** From its start to before its end, in epoch ms. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** The day or month of a time zone that a moment is in. Days have 23 or 25 hours where its clocks are set. @param at epoch ms */
export function periodAt(at: number, period: BudgetPeriod, timeZone: string): Period {
  // Where clocks are set back over midnight they show the end of a day once more: it belongs to the next one then.
  for (let place = 0; ; place++) {
    const [start, end] = [place, place + 1].map((one) => momentOf(timeZone, beginning(localAt(timeZone, at), period, one)).at);
    if (start !== undefined && end !== undefined && at < end) return { start, end };
  }
}

/** The local time at which the period of another begins, or one of those after it. */
function beginning(local: number, period: BudgetPeriod, after: number): number {
  if (period === 'day') return (Math.floor(local / dayMs) + after) * dayMs;
  const date = new Date(local);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + after, 1);
}
