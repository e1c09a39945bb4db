import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '#lib/platform';
import { givenStores } from '#lib/testing';
import {
  ConversationStore,
  type ConversationPage,
  type PagePlace,
  type StoredConversation,
  type TurnEnd,
  type TurnKey,
} from './conversation-store.js';

const tenantId = `turns-${randomUUID()}`;
const answer = (text: string, state: TurnEnd['state'] = 'completed'): TurnEnd => ({
  state,
  content: text,
  steps: [{ text, calls: [], results: [] }],
  usage: { input_tokens: 3, output_tokens: 2 },
});

describe('conversations in Postgres', () => {
  let database: Database;
  let store: ConversationStore;

  beforeAll(() => {
    database = createDatabase({ url: givenStores().databaseUrl, poolSize: 2, name: 'turns-test' });
    store = new ConversationStore(database);
  });
  afterAll(async () => {
    await database.conversation.deleteMany({ where: { tenantId } });
    await database.$disconnect();
  });
  let turns = 0;
  /** In the order of their making: several may begin in one millisecond. */
  const newJobId = () => `${String(++turns).padStart(4, '0')}-${randomUUID()}`;
  const newTurn = (owner = `${tenantId}/${randomUUID()}`): TurnKey => ({
    tenantId,
    owner,
    conversationId: randomUUID(),
    jobId: newJobId(),
  });
  const read = (turn: TurnKey) => store.read(turn, { limit: 500, after: null });
  const next = (turn: TurnKey): TurnKey => ({ ...turn, jobId: newJobId() });
  const states = async ({ conversationId }: TurnKey) => {
    const rows = await database.chatTurn.findMany({ where: { tenantId, conversationId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    return rows.map(({ message, state }) => [message, state]);
  };
  /** A turn that has run. */
  async function ended(turn: TurnKey, message: string, { regenerate = false, ...end }: TurnEnd & { regenerate?: boolean }): Promise<void> {
    await store.begin(turn, message, regenerate);
    await store.end(turn, end);
  }

  describe('a claim', () => {
    test('makes a conversation, and holds for its owner alone', async () => {
      const mine = newTurn();
      expect([await store.claim(mine), await store.claim(mine)]).toEqual([true, true]);
      expect(await store.claim({ ...mine, owner: `${tenantId}/other` })).toBe(false);
      expect(await read(mine)).toMatchObject({ id: mine.conversationId, turns: [] });
    });

    test('of several at once is one', async () => {
      const { conversationId } = newTurn();
      const owners = Array.from({ length: 8 }, (_, n) => `${tenantId}/claimer-${n}`);
      const claims = await Promise.all(owners.map((owner) => store.claim({ tenantId, owner, conversationId })));
      expect(claims.filter(Boolean)).toHaveLength(1);
    });

    test('of the same id in another tenant is of another conversation', async () => {
      const mine = newTurn();
      await store.claim(mine);
      const elsewhere = { ...mine, tenantId: `${tenantId}-2` };
      expect(await store.claim(elsewhere)).toBe(true);
      await store.remove(elsewhere);
    });
  });

  describe('turns', () => {
    test('make their conversation; a turn that is begun twice is there once', async () => {
      const turn = newTurn();
      for (let run = 0; run < 2; run++) expect(await store.begin(turn, 'first', false)).toBe(true);
      expect(await states(turn)).toEqual([['first', 'running']]);
      await store.end(turn, answer('One.'));
      expect(await database.chatTurn.findFirst({ where: { tenantId, id: turn.jobId } })).toMatchObject({
        state: 'completed',
        content: 'One.',
        inputTokens: 3,
        outputTokens: 2,
        steps: [{ text: 'One.', calls: [], results: [] }],
      });
      const second = next(turn);
      await store.begin(second, 'second', false);
      expect(await store.history(second)).toEqual([{ message: 'first', steps: [{ text: 'One.', calls: [], results: [] }] }]);
      // The first run again, late: it changes nothing of the turn that runs now.
      await store.begin(turn, 'first', false);
      expect(await states(turn)).toEqual([
        ['first', 'completed'],
        ['second', 'running'],
      ]);
    });

    test('that were lost while they ran are failed when the next one begins', async () => {
      const turn = newTurn();
      await store.begin(turn, 'lost', false);
      await store.begin(next(turn), 'next', false);
      expect(await states(turn)).toEqual([
        ['lost', 'failed'],
        ['next', 'running'],
      ]);
    });

    test('replace the last answer that holds when another is wanted, and that one alone', async () => {
      const turn = newTurn();
      await ended(turn, 'a', answer('A.'));
      await ended(next(turn), 'b', answer('B.'));
      await ended(next(turn), 'b', { ...answer('B, better.'), regenerate: true });
      const third = next(turn);
      await store.begin(third, 'b', true);
      expect(await states(turn)).toEqual([
        ['a', 'completed'],
        ['b', 'replaced'],
        ['b', 'replaced'],
        ['b', 'running'],
      ]);
      expect((await store.history(third)).map(({ message }) => message)).toEqual(['a']);
    });

    test('of somebody else are neither written nor read', async () => {
      const turn = newTurn();
      await ended(turn, 'mine', answer('Mine.'));
      const stranger = { ...next(turn), owner: `${tenantId}/other` };
      expect(await store.begin(stranger, 'theirs', false)).toBe(false);
      expect(await store.history(stranger)).toEqual([]);
      expect(await read(stranger)).toBeNull();
      expect(await store.remove(stranger)).toBeNull();
      expect(await states(turn)).toEqual([['mine', 'completed']]);
    });

    test('that ended early are part of the history with what they said, and without it are not', async () => {
      const turn = newTurn();
      await ended(turn, 'stopped', answer('Half', 'stopped'));
      await ended(next(turn), 'failed', { ...answer('', 'failed'), steps: [] });
      expect((await store.history(next(turn))).map(({ message }) => message)).toEqual(['stopped']);
    });

    test.each([
      ['completed', 'stopped', 'completed'],
      ['completed', 'failed', 'completed'],
      ['completed', 'completed', 'completed'],
      ['stopped', 'completed', 'completed'],
      ['stopped', 'failed', 'failed'],
      ['failed', 'completed', 'completed'],
    ] as const)('that are %s and then %s, by a run that was given up, stay %s', async (...row) => {
      const [first, second, kept] = row;
      const turn = newTurn();
      await ended(turn, 'm', answer(`first ${first}`, first));
      await store.end(turn, answer(`second ${second}`, second));
      expect(await read(turn)).toMatchObject({
        turns: [{ state: kept, content: first === 'completed' && second !== 'completed' ? 'first completed' : `second ${second}` }],
      });
    });

    test('that were replaced stay so when a late run ends them', async () => {
      const turn = newTurn();
      await store.begin(turn, 'a', false);
      await store.begin(next(turn), 'a', true);
      await store.end(turn, answer('Late.'));
      expect(await states(turn)).toEqual([
        ['a', 'replaced'],
        ['a', 'running'],
      ]);
    });

    test('end nothing in a conversation that was removed meanwhile', async () => {
      const turn = newTurn();
      await store.begin(turn, 'gone', false);
      await store.remove(turn);
      await store.end(turn, answer('Gone.'));
      expect(await states(turn)).toEqual([]);
    });
  });

  describe('an owner', () => {
    test('sees the own conversations, the latest first, each with its first message', async () => {
      const first = newTurn();
      const second = newTurn(first.owner);
      const empty = newTurn(first.owner);
      await ended(first, 'older', answer('A.'));
      await ended(second, 'newer', answer('B.'));
      await store.claim(empty);
      await ended(next(first), 'again', answer('C.'));
      await database.conversation.updateMany({ where: { id: empty.conversationId }, data: { updatedAt: new Date(0) } });
      await ended(newTurn(), 'of somebody else', answer('D.'));
      expect((await store.list(first, { limit: 10, after: null })).conversations.map(({ id, firstMessage }) => [id, firstMessage])).toEqual(
        [
          [first.conversationId, 'older'],
          [second.conversationId, 'newer'],
          [empty.conversationId, null],
        ],
      );
    });

    test('reads a conversation with its turns, oldest first, without replaced answers', async () => {
      const turn = newTurn();
      const replaced = next(turn);
      const better = next(turn);
      const running = next(turn);
      await ended(turn, 'a', answer('A.'));
      await ended(replaced, 'b', answer('B.'));
      await ended(better, 'b', { ...answer('B, better.'), regenerate: true });
      await store.begin(running, 'c', false);
      const conversation = await read(turn);
      expect(conversation?.turns.map(({ jobId, content, state, finishedAt }) => [jobId, content, state, finishedAt === null])).toEqual([
        [turn.jobId, 'A.', 'completed', false],
        [better.jobId, 'B, better.', 'completed', false],
        [running.jobId, '', 'running', true],
      ]);
      expect(conversation?.turns[0]?.steps).toEqual([{ text: 'A.', calls: [], results: [] }]);
    });

    test('reads many conversations in pages that leave none out, also of those written to in one millisecond', async () => {
      const first = newTurn();
      const all = [first, ...Array.from({ length: 6 }, () => newTurn(first.owner))];
      for (const turn of all) await store.claim(turn);
      await database.conversation.updateMany({ where: { owner: first.owner }, data: { updatedAt: new Date(1_000) } });
      const seen: string[] = [];
      for (let after: PagePlace | null = null, isFirst = true; isFirst || after; isFirst = false) {
        const page: ConversationPage = await store.list(first, { limit: 2, after });
        expect(page.conversations.length).toBeLessThanOrEqual(2);
        seen.push(...page.conversations.map(({ id }) => id));
        after = page.next;
      }
      expect(seen.toSorted()).toEqual(all.map(({ conversationId }) => conversationId).toSorted());
    });

    test('reads a long conversation in pages from its end, each oldest first', async () => {
      const turn = newTurn();
      const turns = [turn, ...Array.from({ length: 4 }, () => next(turn))];
      for (const [at, one] of turns.entries()) await ended(one, `m${at}`, answer('A.'));
      const pages: (readonly string[])[] = [];
      for (let after: PagePlace | null = null, isFirst = true; isFirst || after; isFirst = false) {
        const page: StoredConversation | null = await store.read(turn, { limit: 2, after });
        pages.push((page?.turns ?? []).map(({ message }) => message));
        after = page?.next ?? null;
      }
      // Turns that began in one millisecond may change places.
      expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
      expect(pages.flat().toSorted()).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
    });

    test('reads the text of a turn whose steps are of an unknown form', async () => {
      const turn = newTurn();
      await ended(turn, 'a', answer('A.'));
      await database.chatTurn.updateMany({ where: { tenantId, id: turn.jobId }, data: { steps: { version: 2 } } });
      expect(await read(turn)).toMatchObject({ turns: [{ content: 'A.', steps: null }] });
      expect(await store.history(next(turn))).toEqual([{ message: 'a', steps: [{ text: 'A.', calls: [], results: [] }] }]);
    });

    test('takes a message back, and with the only one its conversation', async () => {
      const turn = newTurn();
      const second = next(turn);
      await ended(turn, 'a', answer('A.'));
      await store.begin(second, 'b', false);
      await store.takeBack(second);
      expect(await states(turn)).toEqual([['a', 'completed']]);
      await store.takeBack({ ...turn, owner: `${tenantId}/other` });
      expect(await read(turn)).toMatchObject({ turns: [] });
      await store.begin(turn, 'a', false);
      await store.takeBack(turn);
      expect(await read(turn)).toBeNull();
    });

    test('removes a conversation with all its turns, and is told their jobs', async () => {
      const turn = newTurn();
      const second = next(turn);
      await ended(turn, 'a', answer('A.'));
      await store.begin(second, 'b', false);
      expect(new Set(await store.remove(turn))).toEqual(new Set([turn.jobId, second.jobId]));
      expect(await store.remove(turn)).toBeNull();
      expect([await read(turn), await states(turn)]).toEqual([null, []]);
      // The id is free again.
      expect(await store.claim({ ...turn, owner: `${tenantId}/other` })).toBe(true);
    });
  });

  describe('the time of a conversation that nobody writes to', () => {
    // Far from those of other tests, which share the database.
    const since = new Date('2001-01-01T00:00:00.000Z');
    const elsewhere = `${tenantId}-elsewhere`;
    const wroteAt = async (conversationId: string, updatedAt: Date) =>
      database.conversation.updateMany({ where: { id: conversationId }, data: { updatedAt } });
    const left = async () => database.conversation.count({ where: { tenantId, updatedAt: { lt: since } } });
    /** Conversations that were last written to a millisecond before. */
    const old = async (count: number) =>
      database.conversation.createMany({
        data: Array.from({ length: count }, () => ({ tenantId, id: randomUUID(), owner: 'o', updatedAt: new Date(since.getTime() - 1) })),
      });

    test('ends with all its turns, in every tenant; what is a moment younger stays', async () => {
      const [idle, young] = [newTurn(), newTurn()];
      const other = { ...newTurn(), tenantId: elsewhere };
      await store.removeIdle(since);
      for (const turn of [idle, young, other]) await ended(turn, 'a', answer('A.'));
      await wroteAt(idle.conversationId, new Date(since.getTime() - 1));
      await wroteAt(other.conversationId, new Date(0));
      await wroteAt(young.conversationId, since);
      expect(await store.removeIdle(since)).toBe(2);
      expect(await store.removeIdle(since)).toBe(0);
      expect([await read(idle), await states(idle), await read(other)]).toEqual([null, [], null]);
      expect(await states(young)).toEqual([['a', 'completed']]);
    });

    test('ends for more than one statement may delete, also when several processes sweep at once', async () => {
      await old(250);
      const removed = await Promise.all([store.removeIdle(since), new ConversationStore(database).removeIdle(since)]);
      expect(removed.reduce((sum, count) => sum + count)).toBe(250);
      expect(await left()).toBe(0);
    });

    test('begins anew with every turn', async () => {
      const turn = newTurn();
      await ended(turn, 'a', answer('A.'));
      await wroteAt(turn.conversationId, new Date(0));
      await store.begin(next(turn), 'b', false);
      expect(await store.removeIdle(since)).toBe(0);
      expect(await states(turn)).toHaveLength(2);
    });
  });
});
