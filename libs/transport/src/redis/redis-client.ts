import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { onceASecond, redisServers, type Logger, type RedisSettings } from '#lib/platform';

/** A connection to one server, or to all masters of a cluster. */
export type RedisClient = Redis | Cluster;

interface ConnectionOptions extends Pick<
  RedisOptions,
  'commandTimeout' | 'connectTimeout' | 'disableClientInfo' | 'enableOfflineQueue' | 'maxRetriesPerRequest' | 'socketTimeout'
> {
  readonly retryStrategy: (times: number) => number;
}

interface ClientOptions extends ConnectionOptions {
  /** How often a command is sent on while its keys move or their master changes, every 100 ms. */
  readonly maxRedirections: number;
}

/** A node that was given a slot is asked again so much later: two nodes may point at each other until both know. */
const movedMs = 10;
/** Also found at the first command that a node sends on. */
const slotsRefreshMs = 15_000;

/**
 * Sends all commands of one turn of the event loop with one write. The client's automatic pipelines do that too, and cost
 * more than the writes that they save ([decision 22](../../../docs/decisions/0022-one-socket-write-per-event-loop-turn.md)).
 */
class BatchingRedis extends Redis {
  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    const { stream } = this;
    // Before the first connection there is none.
    if (stream?.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return super.sendCommand(...args);
  }
}

/** Connects by the mode of the settings. Throws RangeError for a REDIS_URL that is none. */
export function openClient(settings: RedisSettings, { maxRedirections, ...options }: ClientOptions): RedisClient {
  switch (settings.REDIS_MODE) {
    case 'cluster': {
      const { seeds, username, password, isTls } = redisServers(settings);
      const { retryStrategy, enableOfflineQueue, ...redisOptions } = options;
      return new Cluster([...seeds], {
        // Each connection looks names up by itself: one name that is gone must not keep the others from being tried, and TLS needs the names.
        dnsLookup: (host, callback) => callback(null, host),
        clusterRetryStrategy: retryStrategy,
        // It asks whether all slots are served. Where one is not, what waits for the connection would wait for ever: the client connects again
        // without ending the first `connect`. Commands are told CLUSTERDOWN, and sent again.
        enableReadyCheck: false,
        enableOfflineQueue,
        maxRedirections,
        retryDelayOnMoved: movedMs,
        slotsRefreshTimeout: 2_000,
        slotsRefreshInterval: slotsRefreshMs,
        redisOptions: { ...redisOptions, username, password, ...(isTls && { tls: {} }) },
      });
    }
    case 'sentinel':
      return new BatchingRedis({ ...options, ...masterOf(settings) });
    default:
      return new BatchingRedis(settings.REDIS_URL, options);
  }
}

/** A plain connection for subscriptions. In a cluster a message reaches every node, so any one that answers will do. */
export function openSubscriber(settings: RedisSettings, options: ConnectionOptions): Redis {
  switch (settings.REDIS_MODE) {
    case 'cluster': {
      const { seeds, username, password, isTls } = redisServers(settings);
      let at = Math.floor(Math.random() * seeds.length);
      const redis: Redis = new Redis({
        ...options,
        ...seeds[at],
        username,
        password,
        ...(isTls && { tls: {} }),
        retryStrategy: (times) => {
          // Read at the next connect.
          Object.assign(redis.options, seeds[++at % seeds.length]);
          return options.retryStrategy(times);
        },
      });
      return redis;
    }
    case 'sentinel':
      return new Redis({ ...options, ...masterOf(settings) });
    default:
      return new Redis(settings.REDIS_URL, options);
  }
}

function masterOf(settings: RedisSettings) {
  const { seeds, username, password, database: db, isTls } = redisServers(settings);
  const tls = isTls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true };
  return {
    sentinels: [...seeds],
    name: settings.REDIS_SENTINEL_NAME ?? '',
    ...(settings.REDIS_SENTINEL_PASSWORD !== undefined && { sentinelPassword: settings.REDIS_SENTINEL_PASSWORD }),
    sentinelCommandTimeout: 2_000,
    sentinelRetryStrategy: (times: number) => Math.min(100 * times, 1_000),
    // A master that has become a replica. The client's own detector of failovers ends a connection for good that it finds while it connects.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY '),
    username,
    password,
    db,
    ...tls,
  };
}

/** The servers that take writes: the one that there is, or all masters of a cluster by their address. */
export function mastersOf(client: RedisClient): readonly Redis[] {
  if (client instanceof Redis) return [client];
  const address = ({ options: { host, port } }: Redis): string => `${host}:${port}`;
  return client.nodes('master').toSorted((a, b) => (address(a) < address(b) ? -1 : 1));
}

/** Logs the faults of connections, and of those to the nodes of a cluster. */
export function logRedisFaults(clients: readonly RedisClient[], log: Pick<Logger, 'warn'>): void {
  for (const client of clients) {
    const tell = onceASecond((error: Error) => log.warn({ event: 'redis-fault', err: error }, 'Redis connection'));
    client.on('error', tell);
    if (client instanceof Cluster) client.on('node error', tell);
  }
}
