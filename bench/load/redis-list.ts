import { Redis } from 'ioredis';
import { assertSame, noRuns, type Call, type Driver, type Target } from './call.js';
import { newWeight, parametersOf } from './parameters.js';

/** Request and answer over two Redis lists: the lower bound for the cost of any queue on Redis. */
export async function openRedisList({ redisUrl }: Target, callers: number): Promise<Driver> {
  const connections = Array.from({ length: callers }, () => new Redis(redisUrl));
  const calls = connections.map((redis, caller): Call => {
    const answers = `bench:list:answers:${caller}`;
    return async () => {
      const text = JSON.stringify(parametersOf(newWeight()));
      const pushed = redis.lpush('bench:list:requests', `${answers} ${text}`);
      const popped = await redis.brpop(answers, 10);
      await pushed;
      assertSame(text, popped?.[1]);
    };
  });
  await Promise.all(connections.map((redis) => redis.ping()));
  return { calls, workerRuns: noRuns, [Symbol.asyncDispose]: async () => connections.forEach((redis) => redis.disconnect()) };
}
