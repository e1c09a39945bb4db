interface GaugeProps {
  readonly label: string;
  /** The value in words. */
  readonly shown: string;
  readonly value: number;
  readonly scale: {
    readonly from: number;
    readonly to: number;
    /** Between the ranges, rising. */
    readonly limits: readonly number[];
    /** One for each range. */
    readonly colours: readonly ('info' | 'good' | 'warn' | 'bad')[];
  };
}

/** A value on a scale with ranges. */
export function Gauge({ label, shown, value, scale: { from, to, limits, colours } }: GaugeProps) {
  const place = (at: number) => `${((Math.min(to, Math.max(from, at)) - from) / (to - from)) * 100}%`;
  const edges = [from, ...limits, to];
  return (
    <div
      className="gauge"
      role="meter"
      aria-label={label}
      aria-valuemin={from}
      aria-valuemax={to}
      aria-valuenow={value}
      aria-valuetext={shown}
    >
      <div className="line spread">
        <span className="soft">{label}</span>
        <strong className="number">{shown}</strong>
      </div>
      <div className="gauge-scale">
        {colours.map((colour, index) => (
          <i
            key={colour}
            style={{
              width: `${(((edges[index + 1] ?? to) - (edges[index] ?? from)) / (to - from)) * 100}%`,
              background: `var(--${colour})`,
            }}
          />
        ))}
      </div>
      <div className="gauge-hand">
        <i style={{ left: place(value) }} />
      </div>
    </div>
  );
}
