import { expect, test } from '@jest/globals';
import { partitionOf } from '#lib/transport';
import type { CachedAnswer } from './accepted-call.js';
import { RecentAnswers } from './recent-answers.js';

const answer = (leftMs = 60_000, characters = 100): CachedAnswer => ({
  kind: 'cached',
  entry: { cachedAt: 1, outcome: { ok: true, data: { made: 'a' } } },
  leftMs,
  text: ' '.repeat(characters),
  partition: partitionOf('profile'),
});

/** A Redis that has what was read, once the test says so. */
class AskedRedis {
  readonly keys: string[] = [];
  readonly #replies: PromiseWithResolvers<boolean>[] = [];

  readonly isCurrent = async (_: unknown, key: string): Promise<boolean> => {
    this.keys.push(key);
    const reply = Promise.withResolvers<boolean>();
    this.#replies.push(reply);
    return reply.promise;
  };

  async reply(is: boolean | Error): Promise<void> {
    const reply = this.#replies.shift();
    if (is instanceof Error) reply?.reject(is);
    else reply?.resolve(is);
    await new Promise(setImmediate);
  }
}

test('An answer is given again for less than a second, and not beyond its own life', () => {
  const answers = new RecentAnswers(new AskedRedis());
  answers.keep('long', answer(), 5_000);
  answers.keep('short', answer(400), 5_000);
  expect(answers.find('long', 5_699)).toMatchObject({ leftMs: 59_301 });
  expect(answers.find('long', 5_999)).not.toBeNull();
  expect(answers.find('long', 6_000)).toBeNull();
  expect(answers.find('short', 5_399)).toMatchObject({ leftMs: 1 });
  expect(answers.find('short', 5_400)).toBeNull();
  expect(answers.find('long', 4_999)).toBeNull();
  expect(answers.find('other', 5_001)).toBeNull();
});

test('One that is asked for on and on is looked for once, ahead, and lives on where Redis has it as it was', async () => {
  const redis = new AskedRedis();
  const answers = new RecentAnswers(redis);
  answers.keep('a', answer(10_000), 5_000);
  for (let at = 5_000; at < 5_800; at++) expect(answers.find('a', at)).not.toBeNull();
  expect(redis.keys).toEqual(['a']);
  await redis.reply(true);
  // Its second began when Redis was asked, and its own life goes on.
  expect(answers.find('a', 6_100)).toMatchObject({ leftMs: 8_900 });
  expect(redis.keys).toEqual(['a']);
  expect(answers.find('a', 6_599)).not.toBeNull();
  expect(answers.find('a', 6_600)).toBeNull();
  expect(redis.keys).toEqual(['a', 'a']);
});

test('It ends where Redis has another, and with its second where Redis does not answer', async () => {
  const redis = new AskedRedis();
  const answers = new RecentAnswers(redis);
  answers.keep('a', answer(), 5_000);
  expect(answers.find('a', 5_800)).not.toBeNull();
  await redis.reply(false);
  expect(answers.find('a', 5_801)).toBeNull();

  answers.keep('a', answer(), 6_000);
  expect(answers.find('a', 6_800)).not.toBeNull();
  await redis.reply(new Error('Command timed out'));
  expect(answers.find('a', 6_999)).not.toBeNull();
  expect(answers.find('a', 7_000)).toBeNull();
  expect(redis.keys).toEqual(['a', 'a']);
});

test('A late reply changes nothing of what was forgotten or read anew meanwhile', async () => {
  const redis = new AskedRedis();
  const answers = new RecentAnswers(redis);
  answers.keep('a', answer(), 5_000);
  expect(answers.find('a', 5_700)).not.toBeNull();
  answers.keep('a', answer(30_000), 5_900);
  await redis.reply(false);
  expect(answers.find('a', 5_901)).toMatchObject({ leftMs: 29_999 });

  expect(answers.find('a', 6_700)).not.toBeNull();
  for (let n = 0; n < 10_000; n++) answers.keep(`n${n}`, answer(), 6_701);
  await redis.reply(true);
  expect(answers.find('a', 6_702)).toBeNull();
});

test('Many answers do not end at the same moment', () => {
  const answers = new RecentAnswers(new AskedRedis());
  for (let n = 0; n < 1_500; n++) answers.keep(`n${n}`, answer(), 5_000 + n);
  const isKept = (n: number) => answers.find(`n${n}`, 6_499) !== null;
  expect([isKept(499), isKept(900), isKept(1_499)]).toEqual([false, true, true]);
});

test('What is kept is bounded in number and in size, and what is over is not kept', () => {
  const answers = new RecentAnswers(new AskedRedis());
  for (let n = 0; n < 12_000; n++) answers.keep(`n${n}`, answer(), 5_000);
  expect(answers.find('n0', 5_001)).toBeNull();
  expect(answers.find('n11999', 5_001)).not.toBeNull();
  answers.keep('large', answer(60_000, 10_000_000), 5_002);
  answers.keep('larger', answer(60_000, 10_000_000), 5_003);
  expect(answers.find('large', 5_004)).toBeNull();
  expect(answers.find('larger', 5_004)).not.toBeNull();
  answers.keep('too large', answer(60_000, 20_000_000), 5_005);
  expect(answers.find('too large', 5_006)).toBeNull();
  answers.keep('later', answer(), 6_500);
  expect(answers.find('larger', 6_500)).toBeNull();
});
