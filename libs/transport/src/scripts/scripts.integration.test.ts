import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newNamespace, testRedis } from '#lib/testing';
import { Script } from '../redis/script.js';
import { accept } from './accept.js';
import { appendSpans } from './append-spans.js';
import { append } from './append.js';
import { begin } from './begin.js';
import { claim } from './claim.js';
import { freeHeld } from './free-held.js';
import { idsBehind } from './ids-behind.js';
import { listen } from './listen.js';
import { hasEnded, inOnePlace } from './shared.js';
import { spendChat } from './spend-chat.js';
import { refund, spend } from './spend.js';
import { turn } from './turn.js';

const namespace = newNamespace();
const redis = testRedis(namespace);

afterAll(async () => {
  await redis[Symbol.asyncDispose]();
});

const scripts = { accept, append, appendSpans, begin, claim, freeHeld, idsBehind, listen, refund, spend, spendChat, turn };

describe('every script', () => {
  test.each(Object.entries(scripts))('%s is Lua that Redis compiles', async (_name, { source }) => {
    expect(await redis.script('LOAD', source)).toMatch(/^[0-9a-f]{40}$/);
  });

  test.each(Object.entries(scripts))('%s reads no key and no argument by position', (_name, { source }) => {
    const body = source
      .split('\n')
      .filter(
        (line) =>
          line !== inOnePlace &&
          !/^(local (\w+|own, differing) = |for (n =|place in) | {2}(local list = |for (at =|n, place in) |if at >= ))/.test(line),
      );
    expect(body.join('\n')).not.toMatch(/\b(KEYS|ARGV)\b/);
  });

  test('has a source of its own', () => {
    expect(new Set(Object.values(scripts).map(({ source }) => source)).size).toBe(Object.keys(scripts).length);
  });
});

describe('in Lua', () => {
  const echo = new Script({
    keys: ['only'],
    args: { text: 'text', number: 'number', flag: 'flag' },
    moreArgs: 'rest',
    returns: 'what it was sent',
    lua: "return {onlyKey, text, string.format('%.17g', number + 0), flag and 'yes' or 'no', table.concat(rest, '|')}",
  });

  test('names hold what was sent, of any text and any safe integer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger(), fc.boolean(), async (text, number, flag) => {
        const sent = await echo.run(redis, { keys: { only: 'k' }, args: { flag, text, number }, moreArgs: ['a', 1] });
        expect(sent).toEqual(['k', text, String(number), flag ? 'yes' : 'no', 'a|1']);
      }),
      { numRuns: 50 },
    );
  });

  test('more arguments than the stack of Lua holds arrive too', async () => {
    const count = new Script({ keys: [], args: {}, moreArgs: 'all', returns: 'how many', lua: 'return #all' });
    expect(await count.run(redis, { keys: {}, args: {}, moreArgs: Array.from({ length: 20_000 }, (_, n) => n) })).toBe(20_000);
  });

  test.each([
    ['waiting', 0],
    ['active', 0],
    ['delayed', 0],
    ['completed', 1],
    ['failed', 1],
    ['cancelled', 1],
  ])('a call that is %s has ended: %i', async (state, ended) => {
    const ask = new Script({
      keys: [],
      args: { state: 'text' },
      uses: [hasEnded],
      returns: '0 or 1',
      lua: 'return hasEnded(state) and 1 or 0',
    });
    expect(await ask.run(redis, { keys: {}, args: { state } })).toBe(ended);
  });
});
