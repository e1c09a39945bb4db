import { Inject, Injectable } from '@nestjs/common';
import { domains } from '#lib/contracts';
import type { Metrics, QueueDepth } from '#lib/transport';
import { boundedDomain, type BoundSettings } from '../bounded-domain.js';
import { Stores } from '../stores.js';

/** Domains of tenants' workers that have a label of their own; the others are counted together. */
const mostOwn = 100;
const otherOwn = 'own-others';

const gauges = [
  'openInvocations',
  'ownWorkers',
  'fullestPartitionRatio',
  'queueCalls',
  'queueOldestWaitSeconds',
  'historyWaiting',
  'historyLagSeconds',
  'historyLost',
] as const;

type Gauges = Pick<Metrics, (typeof gauges)[number] | 'openInvocationsLimit'>;

/**
 * The gauges by which workers are scaled. They are read from Redis when they are asked for, so every gateway tells the same, whether a
 * worker runs or not. While Redis is away there are none: nobody should scale by what was.
 */
@Injectable()
export class QueueSignals {
  constructor(
    @Inject(Stores)
    private readonly stores: Pick<Stores, 'metrics'> & {
      readonly store: { readonly open: Pick<Stores['store']['open'], 'depth'> };
      readonly partitions: Pick<Stores['partitions'], 'all'>;
      readonly servedDirectory: Pick<Stores['servedDirectory'], 'queues' | 'connected'>;
      readonly settings: BoundSettings;
      readonly clock: Pick<Stores['clock'], 'now'>;
    },
  ) {}

  /** Sets them. Rejects when Redis is away. */
  async read(): Promise<void> {
    const { store, settings, servedDirectory, partitions, clock, metrics } = this.stores;
    const ours = Object.keys(domains);
    const owned = servedDirectory.queues.toSorted();
    const labels = [...ours, ...owned.map((name, place) => (place < mostOwn ? name : otherOwn))];
    const maxOpen = new Map(ours.map((domain) => [domain, boundedDomain(domain, settings).maxOpen]));
    for (const [domain, most] of maxOpen) metrics.openInvocationsLimit.set({ domain }, most * partitions.all(domain).length);
    try {
      const depths = await Promise.all(
        [...ours, ...owned].map(async (domain) => Promise.all(partitions.all(domain).map(async (one) => store.open.depth(one)))),
      );
      for (const gauge of gauges) metrics[gauge].reset();
      depths.forEach((ofDomain, place) => {
        const domain = labels[place] ?? otherOwn;
        count(metrics, { domain, depths: ofDomain, now: clock.now(), maxOpen: maxOpen.get(domain) });
      });
      for (const { queue, connected: workers } of servedDirectory.connected) {
        const place = owned.indexOf(queue);
        metrics.ownWorkers.inc({ domain: place >= 0 && place < mostOwn ? queue : otherOwn }, workers);
      }
    } catch (error) {
      for (const gauge of gauges) metrics[gauge].reset();
      throw error;
    }
  }
}

interface Counted {
  readonly domain: string;
  /** Of its partitions. */
  readonly depths: readonly QueueDepth[];
  readonly now: number;
  /** Calls that one of them may hold; only of our own domains: whoever fills that of a tenant's workers is that tenant. */
  readonly maxOpen: number | undefined;
}

function count(metrics: Gauges, { domain, depths, now, maxOpen }: Counted): void {
  const sum = (of: (depth: QueueDepth) => number): number => depths.reduce((total, depth) => total + of(depth), 0);
  metrics.openInvocations.inc(
    { domain },
    sum(({ open }) => open),
  );
  if (maxOpen !== undefined) metrics.fullestPartitionRatio.set({ domain }, Math.max(...depths.map(({ open }) => open)) / maxOpen);
  for (const state of ['waiting', 'active', 'delayed'] as const)
    metrics.queueCalls.inc(
      { domain, state },
      sum((depth) => depth[state]),
    );
  metrics.historyWaiting.inc(
    { domain },
    sum(({ ended }) => ended.waiting),
  );
  metrics.historyLost.inc(
    { domain },
    sum(({ ended }) => ended.lost),
  );
  // Of domains that are counted together, the last one would hide the others.
  if (domain === otherOwn) return;
  const oldest = Math.min(...depths.map(({ oldestAt }) => oldestAt ?? now));
  metrics.queueOldestWaitSeconds.set({ domain }, Math.max(0, now - oldest) / 1_000);
  metrics.historyLagSeconds.set({ domain }, Math.max(...depths.map(({ ended }) => ended.oldestMs)) / 1_000);
}
