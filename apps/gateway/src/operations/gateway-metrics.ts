import { Injectable } from '@nestjs/common';
import { onceASecond } from '#lib/platform';
import { FlowKeeper } from '../rules/flow/flow-keeper.js';
import { Stores } from '../stores.js';
import { QueueSignals } from './queue-signals.js';

/** Flows that have a label of their own. */
const mostFlows = 100;

/** The metrics of a gateway, with those of the queues as they stand now. */
@Injectable()
export class GatewayMetrics {
  readonly #onFault = onceASecond((error: unknown) =>
    this.stores.log.warn({ event: 'redis-fault', err: error }, 'the queues could not be read for their metrics'),
  );

  constructor(
    private readonly stores: Stores,
    private readonly signals: QueueSignals,
    private readonly flows: FlowKeeper,
  ) {}

  get contentType(): string {
    return this.stores.metrics.contentType;
  }

  /** As text; without the queues while Redis is away. */
  async text(): Promise<string> {
    await this.signals.read().catch(this.#onFault);
    const { metrics } = this.stores;
    const { flowWaiting } = metrics;
    flowWaiting.reset();
    for (const [flow, calls] of this.flows.waitingByName(mostFlows)) flowWaiting.set({ flow }, calls);
    return metrics.text();
  }
}
