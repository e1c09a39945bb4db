import { useState } from 'react';
import { toolEvents, type StreamEvent } from '#lib/client';
import type { FeedState } from './feed.js';
import { useBatches } from './use-batches.js';
import { useFeed } from './use-feed.js';

export interface CallEvents {
  readonly events: readonly StreamEvent[];
  /** So many of their reports of progress are kept no more, the oldest. */
  readonly left: number;
  readonly state: FeedState;
}

/** What the stream tells is shown so often, in ms. */
const flushMs = 50;
/** The events that are kept: the oldest reports of progress go, and nothing else. */
const mostKept = 2_000;

/** The events of a call from its first, each once, over reloads and deaths of gateways. Null follows nothing. */
export function useCallEvents(jobId: string | null): CallEvents {
  const [known, setKnown] = useState<Kept & { readonly jobId: string | null }>({ jobId, ...nothing });
  const push = useBatches<StreamEvent>(jobId, flushMs, (told) =>
    setKnown((before) => ({ jobId, ...withEvents(before.jobId === jobId ? before : nothing, told) })),
  );
  const feed = useFeed(
    jobId === null ? null : `jobs/${encodeURIComponent(jobId)}/events`,
    (frame) => {
      const event = toolEvents.parse(frame);
      if (event) push(event);
    },
    { isLast: ({ event }) => event === 'tool_result' || event === 'tool_error' },
  );
  return { ...(known.jobId === jobId ? known : nothing), state: feed.state };
}

type Kept = Omit<CallEvents, 'state'>;
const nothing: Kept = { events: [], left: 0 };

/** A stream that is followed from its beginning again tells what is known. */
function withEvents({ events, left }: Kept, told: readonly StreamEvent[]): Kept {
  const known = new Set(events.map(({ id }) => id));
  const all = [...events, ...told.filter(({ id }) => !known.has(id))];
  let tooMany = all.length - mostKept;
  const kept = tooMany <= 0 ? all : all.filter(({ event }) => event !== 'tool_progress' || tooMany-- <= 0);
  return { events: kept, left: left + all.length - kept.length };
}
