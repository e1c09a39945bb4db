import type { Redis } from 'ioredis';
import { mastersOf, type RedisClient } from './redis-client.js';

/** What a process must be allowed to do in Redis, beside connecting. */
export interface RedisNeeds {
  /** A key under each prefix that it uses; all commands are tried on the first. */
  readonly keys: readonly [string, ...string[]];
  readonly channels: readonly string[];
  /** Of its role alone, as in `commands`. */
  readonly also?: readonly string[];
}

/** What gateways and workers both do, BullMQ's scripts included: each command with the least that makes it one. */
const commands = [
  ['get KEY', 'mget KEY', 'set KEY v', 'getdel KEY', 'incr KEY', 'decr KEY'],
  ['del KEY', 'unlink KEY', 'exists KEY', 'pexpire KEY 1', 'pttl KEY', 'persist KEY'],
  ['hget KEY f', 'hset KEY f v', 'hmset KEY f v', 'hmget KEY f', 'hgetall KEY', 'hdel KEY f', 'hexists KEY f', 'hincrby KEY f 1'],
  ['llen KEY', 'lindex KEY 0', 'lpos KEY v', 'lpush KEY v', 'rpush KEY v', 'lpop KEY', 'rpop KEY', 'rpoplpush KEY KEY'],
  ['lrange KEY 0 0', 'lrem KEY 0 v', 'ltrim KEY 0 0'],
  ['sadd KEY v', 'srem KEY v', 'scard KEY', 'smembers KEY'],
  ['zadd KEY 1 v', 'zrem KEY v', 'zcard KEY', 'zscore KEY v', 'zcount KEY 0 0', 'zpopmin KEY', 'zrange KEY 0 0', 'zrevrange KEY 0 0'],
  ['zrangebyscore KEY 0 0', 'zrevrangebyscore KEY 0 0', 'zremrangebyrank KEY 0 0', 'zremrangebyscore KEY 0 0'],
  ['xadd KEY * f v', 'xtrim KEY MAXLEN 1', 'xrange KEY - +', 'xlen KEY', 'xdel KEY 0-0'],
  ['eval return 1 KEY', 'evalsha 0 1 KEY', 'info', 'ping', 'time'],
].flat();

/** What is missing on any of the servers: each node of a cluster has users of its own. */
async function missingRights(redis: RedisClient, needs: RedisNeeds): Promise<readonly string[]> {
  const missing = await Promise.all(mastersOf(redis).map(async (server) => missingOn(server, needs)));
  return [...new Set(missing.flat())];
}

/**
 * What this user of Redis may not do and the process must: `xadd {invoq:profile}:rights`. Redis judges a command of a
 * transaction when it is queued, and the transaction is discarded, so nothing is done. Throws when Redis is away.
 */
async function missingOn(server: Redis, { keys, channels, also = [] }: RedisNeeds): Promise<readonly string[]> {
  const [first, ...others] = keys;
  const tried = [
    ...[...commands, ...also].map((command) => command.replaceAll('KEY', first)),
    ...others.map((key) => `exists ${key}`),
    ...channels.map((channel) => `publish ${channel} v`),
  ];
  // A connection of its own: a command that is sent again after a broken connection would be outside of the transaction.
  const connection = server.duplicate({
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    enableOfflineQueue: true,
  });
  try {
    connection.on('error', () => undefined);
    await connection.ping().catch(rethrowUnlessRefused);
    // Outside of a transaction the commands would be done.
    if (await connection.call('multi').then(() => false, rethrowUnlessRefused)) return ['multi'];
    const answers = tried.map((text) => {
      const [name = '', ...args] = text.split(' ');
      return connection.call(name, ...args);
    });
    const closed = connection.call('discard');
    const refused = await Promise.all([...answers, closed].map(async (answer) => answer.then(() => false, rethrowUnlessRefused)));
    return [...tried, 'discard'].filter((_, index) => refused[index]);
  } finally {
    connection.disconnect();
  }
}

/** After a connect that is not the first, Redis is asked this long later. Connections that break again and again are not asked on top. */
const askAgainMs = 5_000;

/**
 * Asks at the first connect, and after each later one: the rights may have changed while Redis was away. Resolves when nothing was
 * missing for the first time, so that a start can wait for it: whatever it did first would fail with less to say.
 */
export function watchRights(
  redis: RedisClient,
  needs: RedisNeeds,
  { onMissing, onFault }: { readonly onMissing: (missing: readonly string[]) => void; readonly onFault: (error: unknown) => void },
): Promise<void> {
  return new Promise((resolve) => {
    let hasAnswered = false;
    let timer: NodeJS.Timeout | undefined;
    const answered = (): void => {
      hasAnswered = true;
      resolve();
    };
    const ask = (): void => {
      missingRights(redis, needs).then(
        (missing) => (missing.length > 0 ? onMissing(missing) : answered()),
        (error: unknown) => {
          onFault(error);
          // Where the connection has ended, it is asked again at the next connect.
          if (redis.status !== 'ready') return;
          answered();
          timer = setTimeout(ask, askAgainMs).unref();
        },
      );
    };
    redis.on('ready', () => {
      clearTimeout(timer);
      if (hasAnswered) timer = setTimeout(ask, askAgainMs).unref();
      else ask();
    });
    redis.on('close', () => clearTimeout(timer));
  });
}

/** True where the user may not, or the server has no such command; any other error is not about rights. */
function rethrowUnlessRefused(error: unknown): boolean {
  if (!(error instanceof Error)) throw error;
  if (/^(NOPERM|ERR unknown command) /.test(error.message)) return true;
  // A node of a cluster judges the rights first, and then whose key it is.
  if (/^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN|EXECABORT) /.test(error.message)) return false;
  throw error;
}
