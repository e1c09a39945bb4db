import { Count } from '../count.js';
import { Meter } from '../meter.js';

/** How many attempts a worker runs, of the most that it may. */
export function Running({
  label,
  running,
  concurrency,
}: {
  readonly label: string;
  readonly running: number;
  readonly concurrency: number;
}) {
  return (
    <div className="line">
      <div className="grow">
        <Meter label={label} value={running} max={concurrency} />
      </div>
      <span className="number">
        <Count of={running} />/<Count of={concurrency} />
      </span>
    </div>
  );
}
