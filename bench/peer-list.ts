// Takes requests off one Redis list and pushes each back as the answer onto the list that it names.
import { Redis } from 'ioredis';
import { serveParent } from './system/parent.js';

/** A reader waits for one request at a time; this many keep the process busy. */
const readers = 16;
const url = process.env['BENCH_REDIS_URL'] ?? '';

await Promise.all(
  Array.from({ length: readers }, async () => {
    const redis = new Redis(url);
    await redis.ping();
    void answerForEver(redis);
  }),
);
serveParent({});

async function answerForEver(redis: Redis): Promise<never> {
  for (;;) {
    const request = (await redis.brpop('bench:list:requests', 0))?.[1] ?? '';
    const space = request.indexOf(' ');
    // Not awaited: the next blocking read is sent together with it.
    void redis.lpush(request.slice(0, space), request.slice(space + 1));
  }
}
