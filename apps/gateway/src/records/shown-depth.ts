import type { QueueDepthShown } from '#lib/contracts';
import type { QueueDepth } from '#lib/transport';

/** How the partitions of a domain stand together. */
export function shownDepth(depths: readonly QueueDepth[]): QueueDepthShown {
  const oldest = Math.min(...depths.map(({ oldestAt }) => oldestAt ?? Number.POSITIVE_INFINITY));
  const sum = (of: (depth: QueueDepth) => number): number => depths.reduce((before, depth) => before + of(depth), 0);
  return {
    open: sum(({ open }) => open),
    waiting: sum(({ waiting }) => waiting),
    oldest_waiting_at: Number.isFinite(oldest) ? new Date(oldest).toISOString() : null,
  };
}
