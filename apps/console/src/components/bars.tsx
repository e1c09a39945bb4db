export interface Bar {
  readonly key: string;
  /** What it tells, in words. */
  readonly told: string;
  /** From top to bottom. */
  readonly parts: readonly { readonly look: BarLook; readonly value: number }[];
}

type BarLook = 'bad' | 'plain' | 'accent';

interface BarsProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
  /** What stands below the first and the last. */
  readonly ends: readonly [string, string];
  readonly isLow?: boolean;
}

/** Stacked bars side by side, those of nothing too. */
export function Bars({ label, bars, format, ends, isLow = false }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)));
  return (
    <figure className={`bars ${isLow ? 'low' : ''}`} aria-label={label}>
      <div className="most faint">{format(most)}</div>
      <div className="inside">
        {bars.map(({ key, told, parts }) => (
          <div key={key} className="bar" role="img" title={told} aria-label={told}>
            {parts.map(({ look, value }) => (
              <i key={look} className={look} style={{ height: `${(value / most) * 100}%` }} />
            ))}
          </div>
        ))}
      </div>
      <figcaption className="line spread faint">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </figcaption>
    </figure>
  );
}

/** The same in a cell of a table, for the eye alone. */
export function TinyBars({ values, isBad }: { readonly values: readonly number[]; readonly isBad: boolean }) {
  const most = Math.max(1, ...values);
  const lines = values.map((value, at) => (value > 0 ? `M${at + 0.5} 20V${20 - Math.max(2, (value / most) * 20)}` : '')).join('');
  return (
    <svg className={`tiny-bars ${isBad ? 'bad' : ''}`} viewBox={`0 0 ${values.length} 20`} preserveAspectRatio="none" aria-hidden="true">
      <path d={lines} stroke="currentColor" strokeWidth="0.8" fill="none" />
    </svg>
  );
}
