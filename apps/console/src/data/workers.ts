// Who works on what, as the gateway pushes it: all of it to an operator, to an administrator of a tenant its own.
import { useState } from 'react';
import type { ServerSentEvent } from '#lib/client';
import type { WorkerList } from '#lib/contracts';
import { useFeed } from './use-feed.js';

/** The gateway tells them every 2 seconds. */
const silentMs = 10_000;

/** Null before the first answer. @param isWanted false follows nothing: the stream is for administrators */
export function useWorkers(isWanted: boolean) {
  const [told, setTold] = useState<{ readonly workers: WorkerList; readonly heardAt: number } | null>(null);
  const onEvent = ({ event, data }: ServerSentEvent) => {
    if (event !== 'workers') return;
    const workers: WorkerList = JSON.parse(data);
    setTold({ workers, heardAt: Date.now() });
  };
  const feed = useFeed(isWanted ? 'admin/workers' : null, onEvent, { silentMs });
  return { workers: told?.workers ?? null, heardAt: told?.heardAt ?? null, feed };
}
