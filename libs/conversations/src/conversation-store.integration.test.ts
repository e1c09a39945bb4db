import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '#lib/platform';
import { givenStores } from '#lib/testing';
import { ConversationStore, type TurnEnd, type TurnKey } from './conversation-store.js';

const tenantId = `turns-${randomUUID()}`;
const answer = (text: string, state: TurnEnd['state'] = 'completed'): TurnEnd => ({
  state,
  content: text,
  steps: [{ text, calls: [], results: [] }],
  usage: { input_tokens: 3, output_tokens: 2 },
});

describe('conversations in Postgres', () => {
  let database: Database;
  let turns: ConversationStore;

  beforeAll(() => {
    database = createDatabase({ url: givenStores().databaseUrl, poolSize: 2, name: 'turns-test' });
    turns = new ConversationStore(database);
  });
  afterAll(async () => {
    await database.conversation.deleteMany({ where: { tenantId } });
    await database.$disconnect();
  });
  const newPlace = (): TurnKey => ({ tenantId, owner: `${tenantId}/u`, conversationId: randomUUID(), jobId: randomUUID() });
  const next = (place: TurnKey): TurnKey => ({ ...place, jobId: randomUUID() });
  const states = async ({ conversationId }: TurnKey) => {
    const rows = await database.chatTurn.findMany({ where: { tenantId, conversationId }, orderBy: { createdAt: 'asc' } });
    return rows.map(({ message, state }) => [message, state]);
  };

  test('are made by their first turn; a turn that is begun twice is there once', async () => {
    const place = newPlace();
    for (let run = 0; run < 2; run++) await turns.begin(place, 'first', false);
    expect(await states(place)).toEqual([['first', 'running']]);
    await turns.end(place, answer('One.'));
    expect(await database.chatTurn.findFirst({ where: { tenantId, id: place.jobId } })).toMatchObject({
      state: 'completed',
      content: 'One.',
      inputTokens: 3,
      outputTokens: 2,
      steps: [{ text: 'One.', calls: [], results: [] }],
    });
    const second = next(place);
    await turns.begin(second, 'second', false);
    expect(await turns.history(second)).toEqual([{ message: 'first', steps: [{ text: 'One.', calls: [], results: [] }] }]);
    // The first run again, late: it changes nothing of the turn that runs now.
    await turns.begin(place, 'first', false);
    expect(await states(place)).toEqual([
      ['first', 'completed'],
      ['second', 'running'],
    ]);
  });

  test('call a turn failed that was lost while it ran', async () => {
    const place = newPlace();
    await turns.begin(place, 'lost', false);
    await turns.begin(next(place), 'next', false);
    expect(await states(place)).toEqual([
      ['lost', 'failed'],
      ['next', 'running'],
    ]);
  });

  test('replace the last answer that holds when another is wanted, and that one alone', async () => {
    const place = newPlace();
    for (const [message, text] of [
      ['a', 'A.'],
      ['b', 'B.'],
    ] as const) {
      const turn = next(place);
      await turns.begin(turn, message, false);
      await turns.end(turn, answer(text));
    }
    const again = next(place);
    await turns.begin(again, 'b', true);
    await turns.end(again, answer('B, better.'));
    const third = next(place);
    await turns.begin(third, 'b', true);
    expect(await states(place)).toEqual([
      ['a', 'completed'],
      ['b', 'replaced'],
      ['b', 'replaced'],
      ['b', 'running'],
    ]);
    expect((await turns.history(third)).map(({ message }) => message)).toEqual(['a']);
  });

  test('are nobody else’s to write into or to read', async () => {
    const place = newPlace();
    await turns.begin(place, 'mine', false);
    await turns.end(place, answer('Mine.'));
    const stranger = { ...next(place), owner: `${tenantId}/other` };
    expect(await turns.begin(stranger, 'theirs', false)).toBe(false);
    expect(await turns.history(stranger)).toEqual([]);
    expect(await states(place)).toEqual([['mine', 'completed']]);
  });

  test('that were deleted meanwhile stay so when their turn ends', async () => {
    const place = newPlace();
    await turns.begin(place, 'gone', false);
    await database.conversation.deleteMany({ where: { tenantId, id: place.conversationId } });
    await turns.end(place, answer('Gone.'));
    expect(await states(place)).toEqual([]);
  });
});
