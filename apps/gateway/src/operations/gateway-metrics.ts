import { Injectable } from '@nestjs/common';
import { onceASecond } from '#lib/platform';
import type { Metrics } from '#lib/transport';
import { FlowKeeper } from '../rules/flow/flow-keeper.js';
import { Stores } from '../stores.js';
import { QueueSignals } from './queue-signals.js';

/** Flows that have a label of their own. */
const mostFlows = 100;

/** The metrics of a gateway, with those of the queues as they stand now. */
@Injectable()
export class GatewayMetrics {
  readonly contentType: string;
  readonly #metrics: Metrics;
  readonly #signals: QueueSignals;
  readonly #flows: FlowKeeper;
  readonly #onFault: (error: unknown) => void;

  constructor({ store, partitions, settings, servedDirectory, clock, metrics, log }: Stores, flows: FlowKeeper) {
    this.#flows = flows;
    this.#metrics = metrics;
    this.contentType = metrics.contentType;
    this.#signals = new QueueSignals({
      store,
      partitions,
      bounds: settings,
      now: clock.now,
      metrics,
      own: () => servedDirectory.queues,
      connected: () => servedDirectory.connected,
    });
    this.#onFault = onceASecond((error: unknown) =>
      log.warn({ event: 'redis-fault', err: error }, 'the queues could not be read for their metrics'),
    );
  }

  /** As text; without the queues while Redis is away. */
  async text(): Promise<string> {
    await this.#signals.read().catch(this.#onFault);
    const { flowWaiting } = this.#metrics;
    flowWaiting.reset();
    for (const [flow, calls] of this.#flows.waitingByName(mostFlows)) flowWaiting.set({ flow }, calls);
    return this.#metrics.text();
  }
}
