import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TurnEnd, TurnKey } from '#lib/conversations';
import { RedisKeys } from '#lib/transport';
import { newNamespace, testRedis } from '#lib/testing';
import { guestTurnStore, type TurnStore } from './guest-turn-store.js';

const end = (text: string, state: TurnEnd['state'] = 'completed'): TurnEnd => ({
  state,
  content: text,
  steps: text ? [{ text, calls: [], results: [] }] : [],
  usage: { input_tokens: 1, output_tokens: 1 },
});

describe("a guest's turns", () => {
  const namespace = newNamespace();
  const redis = testRedis(namespace);
  const keys = new RedisKeys(namespace);
  let store: TurnStore;
  beforeAll(() => {
    store = guestTurnStore({ redis, keys });
  });
  afterAll(async () => redis[Symbol.asyncDispose]());
  const newTurn = (): TurnKey => ({ tenantId: 'guests', owner: 'guests/g', conversationId: randomUUID(), jobId: randomUUID() });
  const next = (turn: TurnKey): TurnKey => ({ ...turn, jobId: randomUUID() });
  const messages = async (turn: TurnKey) => (await store.history(turn)).map(({ message, steps }) => [message, steps[0]?.text]);
  async function ended(turn: TurnKey, message: string, how: TurnEnd): Promise<void> {
    expect(await store.begin(turn, message, false)).toBe(true);
    await store.end(turn, how);
  }

  test('are the history of the next turn, oldest first, without those that have no answer', async () => {
    const turn = newTurn();
    await ended(turn, 'a', end('A.'));
    await ended(next(turn), 'b', end('', 'failed'));
    await ended(next(turn), 'c', end('C.', 'stopped'));
    expect(await messages(next(turn))).toEqual([
      ['a', 'A.'],
      ['c', 'C.'],
    ]);
    expect(await messages(newTurn())).toEqual([]);
  });

  test('end an hour after the last message', async () => {
    const turn = newTurn();
    await ended(turn, 'a', end('A.'));
    await redis.pexpire(keys.guestTurns(turn.owner, turn.conversationId), 1_000);
    await ended(next(turn), 'b', end('B.'));
    const leftMs = await redis.pttl(keys.guestTurns(turn.owner, turn.conversationId));
    expect(leftMs).toBeGreaterThan(3_590_000);
    expect(leftMs).toBeLessThanOrEqual(3_600_000);
    await redis.pexpire(keys.guestTurns(turn.owner, turn.conversationId), 0);
    expect(await messages(next(turn))).toEqual([]);
  });

  test.each([
    [19, 0],
    [20, 0],
    [21, 1],
  ])('of %i the latest twenty are kept, from number %i on', async (count, first) => {
    const turn = newTurn();
    for (let n = 0; n < count; n++) await ended(next(turn), `${n}`, end('x'));
    const kept = (await messages(next(turn))).map(([message]) => Number(message));
    expect([kept[0], kept.at(-1), kept.length]).toEqual([first, count - 1, Math.min(20, count)]);
  });

  test('that are run again are there once, and are not their own history', async () => {
    const turn = newTurn();
    await ended(turn, 'a', end('A.'));
    const again = next(turn);
    await ended(again, 'b', end('Hal', 'stopped'));
    expect(await messages(again)).toEqual([['a', 'A.']]);
    await ended(again, 'b', end('Half and half.'));
    expect(await messages(next(turn))).toEqual([
      ['a', 'A.'],
      ['b', 'Half and half.'],
    ]);
  });

  test('of two guests who use one conversation id are two conversations', async () => {
    const turn = newTurn();
    const intruder = { ...next(turn), owner: 'guests/other' };
    await ended(turn, 'a secret', end('Kept.'));
    expect(await messages(intruder)).toEqual([]);
    await ended(intruder, 'b', end('B.'));
    expect(await messages(next(intruder))).toEqual([['b', 'B.']]);
    expect(await messages(next(turn))).toEqual([['a secret', 'Kept.']]);
  });

  test('that are complete stay so when a run that was given up ends late', async () => {
    const turn = newTurn();
    await ended(turn, 'a', end('All of it.'));
    await ended(turn, 'a', end('Half', 'stopped'));
    expect(await messages(next(turn))).toEqual([['a', 'All of it.']]);
  });
});
