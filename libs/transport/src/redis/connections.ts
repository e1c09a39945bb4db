import type { Redis } from 'ioredis';
import type { RedisSettings } from '#lib/platform';
import { openClient, openSubscriber, type RedisClient } from './redis-client.js';

/**
 * A connection on which a command has no answer for so long is replaced. Without this a connection whose packets are dropped (the other
 * machine has lost its power, a firewall its state) stays silent for a quarter of an hour.
 */
const silentMs = 5_000;
/** BullMQ's blocking reads wait for up to 10 s. */
const silentBlockingMs = 13_000;

const common = {
  // A connection that broke alone is back at once; back within a second of Redis itself, without a storm.
  // What the client would tell of its own version needs a right that servers before 7.2 do not know. Later ones note each refusal of it.
  disableClientInfo: true,
  retryStrategy: (times: number) => Math.min(10 * 2 ** Math.min(times, 7), 1_000),
};

/** For request paths: fails at once while Redis is away, so a caller gets 503 and never hangs. */
export function requestConnection(settings: RedisSettings): RedisClient {
  return openClient(settings, {
    ...common,
    maxRedirections: 8,
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
export function workerConnection(settings: RedisSettings): RedisClient {
  return openClient(settings, {
    ...common,
    maxRedirections: Infinity,
    maxRetriesPerRequest: null,
    connectTimeout: silentMs,
    socketTimeout: silentBlockingMs,
  });
}

/** For subscriptions: they come back by themselves after an outage. */
export function subscriberConnection(settings: RedisSettings): Redis {
  const redis = openSubscriber(settings, { ...common, maxRetriesPerRequest: null, connectTimeout: silentMs, socketTimeout: silentMs });
  // It sends no commands of its own, so silence would not be noticed.
  const asking = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, silentMs).unref();
  redis.on('end', () => clearInterval(asking));
  return redis;
}
