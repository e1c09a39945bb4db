import type { QueueDepthShown } from '#lib/contracts';
import type { QueueDepth } from '#lib/transport';

/** How the partitions of a domain stand together. */
export function shownDepth(depths: readonly Pick<QueueDepth, 'open' | 'waiting' | 'oldestAt'>[]): QueueDepthShown {
  // A call that ended before a worker took it, such as one that was cancelled, stays in its queue until one comes: nothing of it waits.
  const known = depths.map(({ open, waiting, oldestAt }) => ({
    open,
    waiting: Math.min(open, waiting),
    oldestAt: open > 0 ? (oldestAt ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
  }));
  const oldest = Math.min(...known.map(({ oldestAt }) => oldestAt));
  const sum = (name: 'open' | 'waiting'): number => known.reduce((before, depth) => before + depth[name], 0);
  return {
    open: sum('open'),
    waiting: sum('waiting'),
    oldest_waiting_at: Number.isFinite(oldest) ? new Date(oldest).toISOString() : null,
  };
}
