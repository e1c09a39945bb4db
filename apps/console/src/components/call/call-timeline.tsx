import type { StreamEvent } from '#lib/client';
import { formatClock, formatMs } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { CodeBadge } from '../badge.js';
import { Meter } from '../meter.js';
import { useNow } from '../time.js';
import { callText } from './text.js';
import { linesOf } from './timeline-lines.js';

const tickMs = 100;

/** What happened in a call, step by step: progress, each failure with the delay before the next attempt, and the end. */
export function CallTimeline({ events, left = 0 }: { readonly events: readonly StreamEvent[]; readonly left?: number }) {
  const words = useText(callText);
  const last = events.at(-1);
  return (
    <ol className="timeline" aria-label={words.stream}>
      {left > 0 && <LeftLine count={left} />}
      {linesOf(events).map((line) =>
        line.kind === 'left' ? (
          <LeftLine key={line.id} count={line.count} />
        ) : (
          <li key={line.event.id}>
            <span className={`knot ${knotOf(line.event)}`} />
            <div className="stack tight">
              <EventLine event={line.event} attempt={line.attempt} />
              {line.event.event === 'tool_retrying' && <RetryDelay event={line.event} isLast={line.event === last} />}
            </div>
          </li>
        ),
      )}
    </ol>
  );
}

function LeftLine({ count }: { readonly count: number }) {
  const words = useText(callText);
  return (
    <li>
      <span className="knot plain" />
      <span className="faint">{words.moreProgress(count)}</span>
    </li>
  );
}

function EventLine({ event, attempt }: { readonly event: StreamEvent; readonly attempt: number }) {
  const words = useText(callText);
  const language = useLanguage();
  const at = event.data.metadata.timestamp;
  return (
    <div className="line wrap spread">
      <span className="line wrap">
        {event.event === 'tool_progress' && (
          <>
            <span className="number">{Math.round(event.data.progress)} %</span> {event.data.message}
          </>
        )}
        {event.event === 'tool_retrying' && (
          <>
            <CodeBadge code={event.data.error.code} />
            <span>{event.data.error.message}</span>
          </>
        )}
        {event.event === 'tool_resting' && words.rests(event.data.reason, formatClock(event.data.until, language))}
        {event.event === 'tool_resumed' && words.resumed}
        {event.event === 'tool_result' && <strong>{words.succeeded}</strong>}
        {event.event === 'tool_error' && (
          <>
            <strong>{words.ended}</strong> <CodeBadge code={event.data.error?.code ?? ''} />
          </>
        )}
        <span className="faint">{words.attempt(attempt)}</span>
      </span>
      {at !== undefined && <time className="faint mono">{formatClock(at, language)}</time>}
    </div>
  );
}

/** The delay before an attempt, as a bar that fills while it is waited for. */
function RetryDelay({
  event,
  isLast,
}: {
  readonly event: Extract<StreamEvent, { readonly event: 'tool_retrying' }>;
  readonly isLast: boolean;
}) {
  const words = useText(callText);
  const { delay_ms, retry_count, max_retries, metadata } = event.data;
  const begun = metadata.timestamp === undefined ? 0 : new Date(metadata.timestamp).getTime();
  return (
    <div className="stack tight">
      <span className="soft">
        {isLast ? <Countdown until={begun + delay_ms} /> : words.retryAfter(formatMs(delay_ms))} · {words.retryOf(retry_count, max_retries)}
      </span>
      {isLast ? (
        <FillingMeter from={begun} forMs={delay_ms} />
      ) : (
        <Meter label={words.retryAfter(formatMs(delay_ms))} value={1} max={1} tone="warn" />
      )}
    </div>
  );
}

function Countdown({ until }: { readonly until: number }) {
  const words = useText(callText);
  const now = useNow(tickMs);
  return <span className="number">{words.retryIn(formatMs(Math.max(0, until - now)))}</span>;
}

function FillingMeter({ from, forMs }: { readonly from: number; readonly forMs: number }) {
  const words = useText(callText);
  const now = useNow(tickMs);
  return <Meter label={words.retryAfter(formatMs(forMs))} value={Math.max(0, Math.min(forMs, now - from))} max={forMs} tone="warn" />;
}

function knotOf({ event }: StreamEvent): string {
  return {
    tool_progress: 'info',
    tool_retrying: 'warn',
    tool_resting: 'plain',
    tool_resumed: 'info',
    tool_result: 'good',
    tool_error: 'bad',
  }[event];
}
