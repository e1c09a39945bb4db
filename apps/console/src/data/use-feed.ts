import { useEffect, useEffectEvent, useState } from 'react';
import type { ServerSentEvent } from '#lib/client';
import { followFeed, type FeedListener, type FeedState } from './feed.js';

export interface Feed {
  readonly state: FeedState;
  /** Of a stream that the gateway refused. */
  readonly error: unknown;
}

/** Follows a stream while the component is shown. Null follows nothing. */
export function useFeed(
  path: string | null,
  onEvent: FeedListener['onEvent'],
  { silentMs, isLast }: Pick<FeedListener, 'silentMs' | 'isLast'> = {},
): Feed {
  const [status, setStatus] = useState<Feed & { readonly path: string | null }>({ path, ...unknown });
  const take = useEffectEvent(onEvent);
  const isEnd = useEffectEvent((event: ServerSentEvent) => isLast?.(event) ?? false);
  useEffect(() => {
    if (path === null) return undefined;
    const controller = new AbortController();
    void followFeed(path, controller.signal, {
      onEvent: take,
      onState: (state, error) => setStatus({ path, state, error }),
      isLast: isEnd,
      ...(silentMs !== undefined && { silentMs }),
    });
    return () => controller.abort();
  }, [path, silentMs]);
  // What was said of another stream says nothing of this one.
  return status.path === path ? status : unknown;
}

const unknown: Feed = { state: 'connecting', error: null };
