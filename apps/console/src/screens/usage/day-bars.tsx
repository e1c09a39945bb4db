import type { CallSum } from '#lib/client';
import { Bars } from '../../components/bars.js';
import { formatCount } from '../../language/format.js';
import { formatMicros } from '../../language/money.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { usageText } from './text.js';

/** A bar for each day, days without calls too. The same numbers are in the table by day. */
export function DayBars({ days, rows }: { readonly days: readonly string[]; readonly rows: readonly CallSum[] }) {
  const words = useText(usageText);
  const language = useLanguage();
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const bars = days.map((day) => {
    const { calls = 0, completed = 0, failed = 0, cancelled = 0, cost_micros = 0 } = byDay.get(day) ?? {};
    return {
      key: day,
      told: words.dayBar(day, calls, formatMicros(cost_micros, language)),
      parts: [
        { look: 'plain' as const, value: cancelled },
        { look: 'bad' as const, value: failed },
        { look: 'accent' as const, value: completed },
      ],
    };
  });
  return (
    <Bars label={words.byDay} bars={bars} format={(value) => formatCount(value, language)} ends={[days[0] ?? '', days.at(-1) ?? '']} />
  );
}
