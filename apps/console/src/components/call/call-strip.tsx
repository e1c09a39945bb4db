import type { Job, StreamEvent } from '#lib/client';
import { useTrace } from '../../data/trace.js';
import { formatClockMs, formatMs } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { Stats } from '../stats.js';
import { useNow } from '../time.js';
import { segmentsOf, type Segment } from './segments.js';
import { stripText } from './strip-text.js';

interface CallStripProps {
  readonly call: Pick<Job, 'job_id' | 'created_at' | 'started_at' | 'finished_at' | 'state' | 'trace_id'>;
  readonly events: readonly StreamEvent[];
}

const tickMs = 500;

/** Attempts and what was between them, on one axis from acceptance to end; and their sums, which add up to the whole. */
export function CallStrip({ call, events }: CallStripProps) {
  const words = useText(stripText);
  const language = useLanguage();
  const now = useNow(tickMs);
  const { data: trace } = useTrace(call.trace_id, call.state);
  const segments = segmentsOf({ call, events, trace }, now);
  const whole = Math.max(1, lengthOf(segments));
  const attempts = segments.filter(({ kind }) => kind === 'attempt');
  const told = ({ kind, from, to, attempt, code }: Segment) =>
    [
      kind === 'attempt' ? words.attempt(attempt ?? 1) : words.kinds[kind],
      formatMs(to - from),
      formatClockMs(Math.round(from), language),
      code ?? '',
    ]
      .filter(Boolean)
      .join(' · ');
  const sums = (['queue', 'attempt', 'delay', 'rest'] as const).flatMap((kind) => {
    const own = segments.filter((segment) => segment.kind === kind);
    return own.length === 0 ? [] : [{ kind, ms: lengthOf(own) }];
  });
  return (
    <div className="stack tight">
      <ol className="strip" aria-label={words.title}>
        {segments.map((segment) => (
          <li
            key={segment.from}
            className={`${segment.kind} ${segment.code ? 'bad' : ''}`}
            style={{ flexGrow: (segment.to - segment.from) / whole }}
            title={told(segment)}
          >
            <span className="hidden-visually">{told(segment)}</span>
            {segment.kind === 'attempt' && attempts.length > 1 && <span aria-hidden="true">{segment.attempt}</span>}
          </li>
        ))}
      </ol>
      <Stats
        stats={[
          ...sums.map(({ kind, ms }) => ({
            label: words.kinds[kind],
            value: formatMs(ms),
            ...(kind === 'attempt' && attempts.length > 1 && { aside: words.inAttempts(attempts.length) }),
          })),
          { label: words.whole, value: formatMs(lengthOf(segments)) },
        ]}
      />
    </div>
  );
}

function lengthOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { from, to }) => sum + to - from, 0);
}
