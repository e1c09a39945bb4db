import { Injectable } from '@nestjs/common';
import { metrics, onceASecond } from '#lib/platform';
import { metric } from '#lib/transport';
import { FlowKeeper } from '../flow/flow-keeper.js';
import { Stores } from '../stores.js';
import { QueueSignals } from './queue-signals.js';

/** Flows that have a label of their own. */
const mostFlows = 100;

/** The metrics of a gateway, with those of the queues as they stand now. */
@Injectable()
export class GatewayMetrics {
  readonly contentType = metrics.contentType;
  readonly #signals: QueueSignals;
  readonly #flows: FlowKeeper;
  readonly #onFault: (error: unknown) => void;

  constructor({ store, partitions, settings, servedDirectory, log }: Stores, flows: FlowKeeper) {
    this.#flows = flows;
    this.#signals = new QueueSignals({
      store,
      partitions,
      bounds: settings,
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
    metric.flowWaiting.reset();
    for (const [flow, calls] of this.#flows.waitingByName(mostFlows)) metric.flowWaiting.set({ flow }, calls);
    return metrics.metrics();
  }
}
