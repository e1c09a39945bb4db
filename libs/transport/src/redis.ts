import { Redis, type RedisOptions } from 'ioredis';

/**
 * A connection on which a command has no answer for so long is replaced. Without this a connection whose packets are dropped (the other
 * machine has lost its power, a firewall its state) stays silent for a quarter of an hour.
 */
const silentMs = 5_000;
/** BullMQ's blocking reads wait for up to 10 s. */
const silentBlockingMs = 13_000;

const common = {
  // A connection that broke alone is back at once; back within a second of Redis itself, without a storm.
  retryStrategy: (times: number) => Math.min(10 * 2 ** Math.min(times, 7), 1_000),
} satisfies RedisOptions;

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

/** For request paths: fails at once while Redis is away, so a caller gets 503 and never hangs. */
export function requestConnection(url: string): Redis {
  return new BatchingRedis(url, {
    ...common,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 2_000,
    connectTimeout: 2_000,
    socketTimeout: silentMs,
  });
}

/**
 * For workers: waits for Redis as long as it takes. A finite retry count would make finished jobs run again, and a
 * command timeout would kill the idle blocking read.
 */
export function workerConnection(url: string): Redis {
  return new BatchingRedis(url, { ...common, maxRetriesPerRequest: null, connectTimeout: silentMs, socketTimeout: silentBlockingMs });
}

/** For subscriptions: they come back by themselves after an outage. */
export function subscriberConnection(url: string): Redis {
  const redis = new Redis(url, { ...common, maxRetriesPerRequest: null, connectTimeout: silentMs, socketTimeout: silentMs });
  // It sends no commands of its own, so silence would not be noticed.
  const asking = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, silentMs).unref();
  redis.on('end', () => clearInterval(asking));
  return redis;
}

interface InformedRedis {
  on(event: 'ready', listener: () => void): unknown;
  info(section: string): Promise<string>;
}

/**
 * Asks at every connect whether Redis may evict keys, because then it would lose accepted work. A server that does not say is
 * taken to be configured right.
 */
export function watchEvictionPolicy(redis: InformedRedis, onEvicting: (policy: string) => void): void {
  redis.on('ready', () => {
    redis.info('memory').then(
      (text) => {
        const policy = /^maxmemory_policy:(\S+)/m.exec(text)?.[1] ?? 'noeviction';
        if (policy !== 'noeviction') onEvicting(policy);
      },
      () => undefined,
    );
  });
}
