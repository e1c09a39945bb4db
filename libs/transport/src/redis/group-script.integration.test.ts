// What the calls of a group have of their own arrives, whether it differs among them or not.
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newNamespace, testRedis } from '#lib/testing';
import { GroupScript } from './group-script.js';

const redis = testRedis(newNamespace());

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

const echo = new GroupScript({
  keys: [],
  args: { shared: 'text' },
  own: { id: 'text', text: 'text', number: 'number', flag: 'flag' },
  returns: 'what it was sent',
  adds: 'what all were sent under the first two names, and under the first name once more',
  before: "local ids, texts = eachOwn('id'), eachOwn('text')",
  one: "return {shared, id, text, string.format('%.17g', number + 0), flag and 'yes' or 'no'}",
  after: "return {ids, texts, eachOwn('id')}",
});

const call = fc.record({
  id: fc.constantFrom('a', 'b'),
  text: fc.constantFrom('', 'x', 'two words', '0'),
  number: fc.constantFrom(0, 1, -7, Number.MAX_SAFE_INTEGER),
  flag: fc.boolean(),
});

test('each call of a group gets what it sent, and the group knows what all have sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 16 }), async (calls) => {
      const { replies, added } = await echo.run(redis, { keys: {}, args: { shared: 's' }, calls });
      expect(replies).toEqual(calls.map(({ id, text, number, flag }) => ['s', id, text, String(number), flag ? 'yes' : 'no']));
      const ids = calls.map(({ id }) => id);
      expect(added).toEqual([ids, calls.map(({ text }) => text), ids]);
    }),
    { numRuns: 200 },
  );
});
