import { domains } from '#lib/contracts';
import { metric, sharedClock, type InvocationStore, type QueueDepth } from '#lib/transport';
import { boundedDomain, type AdmissionSettings } from '../invocations/admission.js';

/** Domains of tenants' workers that have a label of their own; the others are counted together. */
const mostOwn = 100;
const otherOwn = 'own-others';

const gauges = [
  metric.openInvocations,
  metric.queueCalls,
  metric.queueOldestWaitSeconds,
  metric.historyWaiting,
  metric.historyLagSeconds,
  metric.historyLost,
];

interface QueueSignalsParts {
  readonly store: { readonly open: Pick<InvocationStore['open'], 'depth'> };
  readonly bounds: AdmissionSettings;
  /** Names of the domains of tenants' workers. */
  readonly own: () => readonly string[];
}

/**
 * The gauges by which workers are scaled. They are read from Redis when they are asked for, so every gateway tells the same, whether a
 * worker runs or not. While Redis is away there are none: nobody should scale by what was.
 */
export class QueueSignals {
  readonly #parts: QueueSignalsParts;

  constructor(parts: QueueSignalsParts) {
    this.#parts = parts;
  }

  /** Sets them. Rejects when Redis is away. */
  async read(): Promise<void> {
    const { store, bounds, own } = this.#parts;
    const ours = Object.keys(domains);
    const owned = own().toSorted();
    const labels = [...ours, ...owned.map((name, place) => (place < mostOwn ? name : otherOwn))];
    for (const domain of ours) metric.openInvocationsLimit.set({ domain }, boundedDomain(domain, bounds).maxOpen);
    try {
      const depths = await Promise.all([...ours, ...owned].map(async (domain) => store.open.depth(domain)));
      for (const gauge of gauges) gauge.reset();
      depths.forEach((depth, place) => count(labels[place] ?? otherOwn, depth));
    } catch (error) {
      for (const gauge of gauges) gauge.reset();
      throw error;
    }
  }
}

function count(domain: string, { open, oldestAt, ended, ...calls }: QueueDepth): void {
  metric.openInvocations.inc({ domain }, open);
  for (const state of ['waiting', 'active', 'delayed'] as const) metric.queueCalls.inc({ domain, state }, calls[state]);
  metric.historyWaiting.inc({ domain }, ended.waiting);
  metric.historyLost.inc({ domain }, ended.lost);
  const waitedS = oldestAt === null ? 0 : Math.max(0, sharedClock.now() - oldestAt) / 1_000;
  // Of domains that are counted together, the last one would hide the others.
  if (domain === otherOwn) return;
  metric.queueOldestWaitSeconds.set({ domain }, waitedS);
  metric.historyLagSeconds.set({ domain }, ended.oldestMs / 1_000);
}
