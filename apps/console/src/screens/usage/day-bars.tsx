import type { CallSum } from '#lib/client';
import { formatCount } from '../../language/format.js';
import { formatMicros } from '../../language/money.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { usageText } from './text.js';

/** A bar for each day, days without calls too. The same numbers are in the table by day. */
export function DayBars({ days, rows }: { readonly days: readonly string[]; readonly rows: readonly CallSum[] }) {
  const words = useText(usageText);
  const language = useLanguage();
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const most = Math.max(1, ...rows.map(({ calls }) => calls));
  const share = (part: number) => `${(part / most) * 100}%`;
  return (
    <figure className="day-bars" aria-label={words.byDay}>
      <div className="most faint">{formatCount(most, language)}</div>
      <div className="bars">
        {days.map((day) => {
          const { calls = 0, completed = 0, failed = 0, cancelled = 0, cost_micros = 0 } = byDay.get(day) ?? {};
          const told = words.dayBar(day, formatCount(calls, language), formatMicros(cost_micros, language));
          return (
            <div key={day} className="bar" role="img" title={told} aria-label={told}>
              <i className="cancelled" style={{ height: share(cancelled) }} />
              <i className="failed" style={{ height: share(failed) }} />
              <i className="completed" style={{ height: share(completed) }} />
            </div>
          );
        })}
      </div>
      <figcaption className="line spread faint">
        <span>{days[0]}</span>
        <span>{days.at(-1)}</span>
      </figcaption>
    </figure>
  );
}
