import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Catalog, domains } from '#lib/contracts';
import { createDatabase, exitOnEviction, onceASecond, type Database, type Logger } from '#lib/platform';
import {
  EventLog,
  Followers,
  InvocationStore,
  OutsideTools,
  RedisKeys,
  requestConnection,
  Sealer,
  subscriberConnection,
  ToolQueues,
  TraceStore,
  watchEvictionPolicy,
} from '#lib/transport';
import type { GatewaySettings } from '../config.js';
import type { GatewayDefinition } from '../gateway-definition.js';

/** The settings, connections and stores of a gateway process. They outlive everything that works with them. */
@Injectable()
export class Infrastructure {
  readonly settings: GatewaySettings;
  readonly log: Logger;
  readonly catalog: Catalog;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  /** Fails at once while Redis is away. */
  readonly redis: Redis;
  readonly subscriber: Redis;
  readonly database: Database;
  readonly store: InvocationStore;
  readonly queues: ToolQueues;
  readonly followers: Followers;
  readonly traces: TraceStore;
  readonly outside: OutsideTools;

  constructor({ settings, contracts, log }: Omit<GatewayDefinition, 'mcpExtensions'>) {
    this.settings = settings;
    this.log = log;
    this.catalog = new Catalog(contracts);
    this.keys = new RedisKeys(settings.INVOQ_NAMESPACE);
    this.sealer = new Sealer(settings.SEALING_KEYS);
    this.redis = requestConnection(settings.REDIS_URL);
    this.subscriber = subscriberConnection(settings.REDIS_URL);
    for (const client of [this.redis, this.subscriber])
      client.on(
        'error',
        onceASecond((error: Error) => log.warn({ event: 'redis-fault', err: error }, 'Redis connection')),
      );
    watchEvictionPolicy(this.redis, (policy) => exitOnEviction(log, policy));
    this.database = createDatabase({
      url: settings.DATABASE_URL,
      poolSize: settings.DATABASE_POOL,
      name: 'gateway',
      statementTimeoutMs: 2_000,
    });
    const { redis, subscriber, keys, sealer, catalog, database } = this;
    this.store = new InvocationStore({ redis, keys, sealer });
    this.queues = new ToolQueues(redis, keys);
    this.followers = new Followers(subscriber, { store: this.store, log: new EventLog(redis, keys) });
    this.traces = new TraceStore(redis, keys);
    this.outside = new OutsideTools({
      keys,
      subscriber,
      load: () => database.mcpServer.findMany({ orderBy: { name: 'asc' } }),
      catalog,
      onFault: (error) => log.warn({ event: 'outside-tools-fault', err: error }, 'the outside tools could not be read'),
    });
  }

  /** Follows the calls of all domains and reads the outside tools. Waits for Redis as long as it takes. */
  async start(): Promise<void> {
    await this.followers.start(this.keys, Object.keys(domains));
    await this.outside.start();
  }
}
