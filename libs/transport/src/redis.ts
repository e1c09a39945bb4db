import { Redis, type RedisOptions } from 'ioredis';

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
  });
}

/**
 * For workers: waits for Redis as long as it takes. A finite retry count would make finished jobs run again, and a
 * command timeout would kill the idle blocking read.
 */
export function workerConnection(url: string): Redis {
  return new BatchingRedis(url, { ...common, maxRetriesPerRequest: null });
}

/** For subscriptions: they come back by themselves after an outage. */
export function subscriberConnection(url: string): Redis {
  return new Redis(url, { ...common, maxRetriesPerRequest: null });
}

interface ConfiguredRedis {
  on(event: 'ready', listener: () => void): unknown;
  config(subcommand: 'GET', parameter: string): Promise<unknown>;
}

/**
 * Asks at every connect whether Redis may evict keys, because then it would lose accepted work. Some hosted servers do not
 * answer the question; they are taken to be configured right.
 */
export function watchEvictionPolicy(redis: ConfiguredRedis, onEvicting: (policy: string) => void): void {
  redis.on('ready', () => {
    redis.config('GET', 'maxmemory-policy').then(
      (reply) => {
        const policy = Array.isArray(reply) ? String(reply[1]) : 'noeviction';
        if (policy !== 'noeviction') onEvicting(policy);
      },
      () => undefined,
    );
  });
}
