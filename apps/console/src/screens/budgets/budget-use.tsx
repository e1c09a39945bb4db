import type { Budget } from '#lib/client';
import { Meter } from '../../components/meter.js';
import { formatCount } from '../../language/format.js';
import { formatMicros } from '../../language/money.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { budgetsText } from './text.js';

/** What is spent against each limit. */
export function BudgetUse({ budget: { limit_micros, limit_calls, warn_at, spent } }: { readonly budget: Budget }) {
  const words = useText(budgetsText);
  const language = useLanguage();
  const money = (micros: number) => formatMicros(micros, language);
  const count = (calls: number) => formatCount(calls, language);
  const limits = [
    { label: words.cost, limit: limit_micros, used: spent.micros, held: spent.reserved_micros, show: money },
    { label: words.calls, limit: limit_calls, used: spent.calls, held: spent.reserved_calls, show: count },
  ];
  return (
    <div className="stack tight">
      {limits.map(({ label, limit, used, held, show }) => {
        if (limit === null) return null;
        const share = limit === 0 ? 1 : (used + held) / limit;
        return (
          <div key={label}>
            <div className="line spread">
              <span className="faint">{label}</span>
              <span className="number">{words.of(show(used), show(limit))}</span>
            </div>
            <Meter label={label} value={used + held} max={limit} tone={share >= 1 ? 'bad' : share >= warn_at ? 'warn' : 'good'} />
            {held > 0 && <div className="faint">{words.held(show(held))}</div>}
          </div>
        );
      })}
    </div>
  );
}
