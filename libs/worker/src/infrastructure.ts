import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { createLogger, exitOnEviction, onceASecond, type Logger, type WorkerSettings } from '#lib/platform';
import {
  EventLog,
  InvocationStore,
  RedisKeys,
  requestConnection,
  Sealer,
  subscriberConnection,
  ToolQueues,
  TraceStore,
  watchEvictionPolicy,
  workerConnection,
} from '#lib/transport';

/** A worker's log, connections and stores. They outlive everything that works with them. */
@Injectable()
export class Infrastructure implements OnApplicationShutdown {
  readonly log: Logger;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  /** Waits for Redis as long as it takes: jobs and their records. */
  readonly redis: Redis;
  readonly subscriber: Redis;
  /** Fails at once while Redis is away: readiness and traces. */
  readonly probe: Redis;
  readonly store: InvocationStore;
  readonly events: EventLog;
  readonly queues: ToolQueues;
  readonly traces: TraceStore;

  /** @param name of the process in its log */
  constructor(name: string, settings: WorkerSettings) {
    this.log = createLogger(name, settings.LOG_LEVEL);
    this.keys = new RedisKeys(settings.INVOQ_NAMESPACE);
    this.sealer = new Sealer(settings.SEALING_KEYS);
    this.redis = workerConnection(settings.REDIS_URL);
    this.subscriber = subscriberConnection(settings.REDIS_URL);
    this.probe = requestConnection(settings.REDIS_URL);
    for (const client of [this.redis, this.subscriber, this.probe])
      client.on(
        'error',
        onceASecond((error: Error) => this.log.warn({ event: 'redis-fault', err: error }, 'Redis connection')),
      );
    watchEvictionPolicy(this.probe, (policy) => exitOnEviction(this.log, policy));
    const { redis, keys, sealer } = this;
    this.store = new InvocationStore({ redis, keys, sealer, retriesRefusedWrites: true });
    this.events = new EventLog(redis, keys);
    this.queues = new ToolQueues(redis, keys);
    this.traces = new TraceStore(this.probe, keys);
  }

  onApplicationShutdown(): void {
    for (const client of [this.redis, this.subscriber, this.probe]) client.disconnect();
  }
}
