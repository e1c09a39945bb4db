/** How much of a bound is used. */
export function Meter({
  label,
  value,
  max,
  tone,
}: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly tone?: 'good' | 'warn' | 'bad';
}) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  const look = tone ?? (share >= 0.9 ? 'bad' : share >= 0.7 ? 'warn' : '');
  return (
    <div
      className={`meter ${look}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
    >
      <i style={{ width: `${share * 100}%` }} />
    </div>
  );
}
