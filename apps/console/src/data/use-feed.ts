import { useEffect, useEffectEvent, useState } from 'react';
import type { ServerSentEvent } from '#lib/client';
import { followFeed, type FeedState } from './feed.js';

/** Follows an endless stream while the component is shown. Null follows nothing. @param silentMs see `FeedListener` */
export function useFeed(
  path: string | null,
  onEvent: (event: ServerSentEvent) => void,
  silentMs?: number,
): { readonly state: FeedState; readonly error: unknown } {
  const [status, setStatus] = useState<{ readonly state: FeedState; readonly error: unknown }>({ state: 'connecting', error: null });
  const take = useEffectEvent(onEvent);
  useEffect(() => {
    if (path === null) return undefined;
    const controller = new AbortController();
    void followFeed(path, controller.signal, {
      onEvent: take,
      onState: (state, error) => setStatus({ state, error }),
      ...(silentMs !== undefined && { silentMs }),
    });
    return () => controller.abort();
  }, [path, silentMs]);
  return status;
}
