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
  let events: readonly StreamEvent[] = [];
  while (!signal.aborted) {
    try {
      const after = events.at(-1)?.id;
      for await (const event of invoq.jobEvents(jobId, { signal, ...(after !== undefined && { after }) })) {
        heard();
        events = [...events, event];
        show({ events, state: 'following' });
      }
      return show({ events, state: 'ended' });
    } catch (error) {
      if (signal.aborted) return;
      const isFinal = error instanceof InvoqError && !error.retryable;
      show({ events, state: isFinal ? 'gone' : 'lost' });
      if (isFinal) return;
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}
