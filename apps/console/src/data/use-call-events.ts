import { useEffect, useState } from 'react';
import { InvoqError, type StreamEvent } from '#lib/client';
import { heard } from './contact.js';
import { invoq } from './gateway.js';

export interface CallEvents {
  readonly events: readonly StreamEvent[];
  /** `lost` while the gateway does not answer, `ended` after the last event, `gone` when the log is kept no more. */
  readonly state: 'following' | 'lost' | 'ended' | 'gone';
}

const retryMs = 1_500;
/** What the stream tells is shown so often. */
const flushMs = 50;

/**
 * The events of a call from its first, each once, over reloads and deaths of gateways.
 * Null follows nothing.
 */
export function useCallEvents(jobId: string | null): CallEvents {
  const [known, setKnown] = useState<CallEvents & { readonly jobId: string | null }>({ jobId, events: [], state: 'following' });
  useEffect(() => {
    if (jobId === null) return undefined;
    const controller = new AbortController();
    void follow(jobId, controller.signal, (present) => setKnown({ jobId, ...present }));
    return () => controller.abort();
  }, [jobId]);
  return known.jobId === jobId ? known : { events: [], state: 'following' };
}

async function follow(jobId: string, signal: AbortSignal, show: (present: CallEvents) => void): Promise<void> {
  const events: StreamEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = (state: CallEvents['state']) => {
    clearTimeout(timer);
    timer = undefined;
    if (!signal.aborted) show({ events: [...events], state });
  };
  while (!signal.aborted) {
    try {
      const after = events.at(-1)?.id;
      for await (const event of invoq.jobEvents(jobId, { signal, ...(after !== undefined && { after }) })) {
        heard();
        events.push(event);
        // However many come, they are copied and drawn together.
        timer ??= setTimeout(() => tell('following'), flushMs);
      }
      return tell('ended');
    } catch (error) {
      if (signal.aborted) return;
      const isFinal = error instanceof InvoqError && !error.retryable;
      tell(isFinal ? 'gone' : 'lost');
      if (isFinal) return;
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}
