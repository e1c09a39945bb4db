import { Injectable } from '@nestjs/common';
import { metrics, onceASecond } from '#lib/platform';
import { Stores } from '../stores.js';
import { QueueSignals } from './queue-signals.js';

/** The metrics of a gateway, with those of the queues as they stand now. */
@Injectable()
export class GatewayMetrics {
  readonly contentType = metrics.contentType;
  readonly #signals: QueueSignals;
  readonly #onFault: (error: unknown) => void;

  constructor({ store, partitions, settings, servedDirectory, log }: Stores) {
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
    return metrics.metrics();
  }
}
