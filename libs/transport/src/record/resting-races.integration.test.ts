import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newNamespace, testRedis } from '#lib/testing';
import { restingOn, taker } from './test-resting-calls.js';

const namespace = newNamespace();
const redis = testRedis(namespace);
const { keys, store, partition, resting, recordOf, wakeOf, wake, finish, rest, placesOf, kindsOf } = restingOn(redis, namespace);

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

test('in any order, twice and at once, one wins, and the call is in one place', async () => {
  const step = fc.constantFrom('wake', 'late wake', 'cancel', 'deadline', 'begin', 'rest', 'end of the run');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), async (moments) => {
      const asked = await resting();
      const { jobId, head } = asked;
      const first = await wakeOf(jobId);
      let wins = { wake: 0, rest: 1, end: 0 };
      const done = async (what: (typeof moments)[number][number]): Promise<Partial<typeof wins>> => {
        switch (what) {
          case 'wake':
            return { wake: (await wake(jobId)) === 'woken' ? 1 : 0 };
          case 'late wake':
            return { wake: (await first()) === 'woken' ? 1 : 0 };
          case 'cancel':
            return { end: (await finish(asked)) === 'ended' ? 1 : 0 };
          case 'deadline':
            return { end: (await finish(asked, { unlessResting: true })) === 'ended' ? 1 : 0 };
          case 'begin':
            await store.turn(partition, [], taker);
            await store.begin(jobId, Date.now());
            return {};
          case 'rest':
            return { rest: (await rest(asked, { attempt: (await recordOf(jobId)).attempts })) ? 1 : 0 };
          case 'end of the run':
            return { end: (await finish(asked, { attempt: (await recordOf(jobId)).attempts })) === 'ended' ? 1 : 0 };
        }
      };
      for (const moment of moments)
        for (const { wake: woken = 0, rest: rested = 0, end = 0 } of await Promise.all(moment.map(done)))
          wins = { wake: wins.wake + woken, rest: wins.rest + rested, end: wins.end + end };
      const kinds = await kindsOf(jobId);
      const count = (kind: string) => kinds.filter((one) => one === kind).length;
      expect({ wake: count('resumed'), rest: count('resting'), end: count('end') }).toEqual(wins);
      expect(wins.end).toBeLessThanOrEqual(1);
      const { state } = await recordOf(jobId);
      const isResting = state === 'resting';
      const isOpen = state === 'waiting' || state === 'active';
      expect(await placesOf(jobId, head.caller)).toMatchObject({ resting: isResting, open: isOpen, ofTenant: isOpen ? 1 : 0 });
      expect(wins.rest - wins.wake).toBe(isResting || (wins.end === 1 && kinds.at(-2) === 'resting') ? 1 : 0);
      await finish(asked);
      await redis.del(keys.queue(partition, 'wait'), keys.queue(partition, 'active'), keys.job(jobId));
    }),
    { numRuns: 60 },
  );
}, 60_000);
