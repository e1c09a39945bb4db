import type { TokenUsage } from '#lib/contracts';
import { sql, type Database, type Sql } from '#lib/platform';
import { z } from 'zod';
import { parseSteps, toPastTurn, toStoredSteps, type PastTurn, type TurnStep } from './turn-steps.js';

/** A conversation of one owner. */
export interface ConversationKey {
  readonly tenantId: string;
  /** Principal of the caller, whose conversation it must be. */
  readonly owner: string;
  /** A UUID. */
  readonly conversationId: string;
}

/** A turn of a conversation: a message and its answer. */
export interface TurnKey extends ConversationKey {
  /** The job that runs it. */
  readonly jobId: string;
}

export interface TurnEnd {
  readonly state: 'completed' | 'failed' | 'stopped';
  /** The complete text of the answer. */
  readonly content: string;
  readonly steps: readonly TurnStep[];
  readonly usage: TokenUsage;
}

export interface ConversationSummary {
  readonly id: string;
  /** The first message; null for a conversation without turns. */
  readonly firstMessage: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface StoredTurn {
  readonly jobId: string;
  readonly message: string;
  readonly content: string;
  readonly state: TurnEnd['state'] | 'running';
  /** Null when they cannot be read. */
  readonly steps: readonly TurnStep[] | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** The last row of a page, as the next page needs it: its time in epoch milliseconds, and its id. */
export interface PagePlace {
  readonly at: number;
  readonly id: string;
}

export interface PageAsked {
  /** The most rows. */
  readonly limit: number;
  /** The last row of the page before; null for the first page. */
  readonly after: PagePlace | null;
}

export interface ConversationPage {
  readonly conversations: readonly ConversationSummary[];
  /** Null when there are no more. */
  readonly next: PagePlace | null;
}

export interface StoredConversation {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Oldest first, without answers that were replaced. */
  readonly turns: readonly StoredTurn[];
  /** Leads to the turns before these; null when these are the first. */
  readonly next: PagePlace | null;
}

/** Conversations that are removed by one statement, with all their turns. */
const removedAtOnce = 100;
/**
 * The most turns that a model may be shown; its budget of tokens is reached long before.
 * @limit chats: earlier turns that a model sees; older ones are left out
 */
const maxPastTurns = 60;

const pastRows = z.array(z.object({ message: z.string(), content: z.string(), steps: z.unknown() }));

/**
 * Conversations of every owner. A conversation of somebody else is never told from one that does not exist.
 * Each method on the way of a turn (claim, begin, history, end) is one statement: hundreds of turns that begin at once wait for a few
 * connections, once each.
 */
export class ConversationStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Makes the conversation when there is none. @returns false when it belongs to somebody else */
  async claim(key: ConversationKey): Promise<boolean> {
    const rows: readonly unknown[] = await this.#database.$queryRaw(claimStatement(key));
    return rows.length > 0;
  }

  /**
   * Stores the message of a turn, and the conversation when it is the first. Calling it again for the same turn changes nothing.
   * @param regenerate the last answer is replaced by this turn's
   * @returns false when the conversation belongs to somebody else: nothing is stored then
   */
  async begin(key: TurnKey, message: string, regenerate: boolean): Promise<boolean> {
    const { tenantId, conversationId, jobId } = key;
    const rows: readonly unknown[] = await this.#database.$queryRaw`
      WITH own AS (${claimStatement(key)}), added AS (
        INSERT INTO chat_turn (tenant_id, id, conversation_id, message) SELECT ${tenantId}, ${jobId}, id, ${message} FROM own
        ON CONFLICT (tenant_id, id) DO NOTHING
        RETURNING id
      ), answered AS (
        SELECT id FROM chat_turn
        WHERE ${regenerate} AND tenant_id = ${tenantId} AND conversation_id = ${conversationId}::uuid AND id <> ${jobId} AND state <> 'replaced'
        ORDER BY created_at DESC LIMIT 1
      ), settled AS (
        -- One turn runs at a time, so another that is still running was lost.
        UPDATE chat_turn SET state = CASE WHEN id IN (SELECT id FROM answered) THEN 'replaced' ELSE 'failed' END::turn_state
        WHERE tenant_id = ${tenantId} AND conversation_id = ${conversationId}::uuid AND id <> ${jobId}
          AND (state = 'running' OR id IN (SELECT id FROM answered)) AND EXISTS (SELECT FROM added)
      )
      SELECT id FROM own`;
    return rows.length > 0;
  }

  /** Ended turns before this one, oldest first, without those that have no answer. Empty for a conversation of somebody else. */
  async history({ tenantId, owner, conversationId, jobId }: TurnKey): Promise<readonly PastTurn[]> {
    const rows = await this.#database.$queryRaw`
      SELECT message, content, steps FROM chat_turn
      WHERE tenant_id = ${tenantId} AND conversation_id = ${conversationId}::uuid AND id <> ${jobId}
        AND state IN ('completed', 'failed', 'stopped')
        AND EXISTS (SELECT FROM conversation WHERE tenant_id = ${tenantId} AND id = ${conversationId}::uuid AND owner = ${owner})
      ORDER BY created_at DESC LIMIT ${maxPastTurns}`;
    return pastRows
      .parse(rows)
      .toReversed()
      .map(toPastTurn)
      .filter((turn) => turn !== null);
  }

  /**
   * Stores the answer of a turn. A complete answer stays when another attempt at the turn ends early afterwards: a worker that was cut off
   * may wake after its job was given to another. Does nothing for an answer that was replaced or a conversation that was removed.
   */
  async end({ tenantId, conversationId, jobId }: TurnKey, { state, content, steps, usage }: TurnEnd): Promise<void> {
    const finishedAt = new Date();
    await this.#database.$executeRaw`
      WITH ended AS (
        UPDATE chat_turn SET state = ${state}::turn_state, content = ${content}, steps = ${JSON.stringify(toStoredSteps(steps))}::jsonb,
          input_tokens = ${usage.input_tokens}, output_tokens = ${usage.output_tokens}, finished_at = ${finishedAt}
        WHERE tenant_id = ${tenantId} AND id = ${jobId} AND state <> 'replaced' AND (state <> 'completed' OR ${state}::turn_state = 'completed')
      )
      UPDATE conversation SET updated_at = ${finishedAt} WHERE tenant_id = ${tenantId} AND id = ${conversationId}::uuid`;
  }

  /** Those of an owner, the one that was written to last first. */
  async list({ tenantId, owner }: Omit<ConversationKey, 'conversationId'>, { limit, after }: PageAsked): Promise<ConversationPage> {
    const behind = after && new Date(after.at);
    const rows = await this.#database.conversation.findMany({
      where: {
        tenantId,
        owner,
        ...(after && behind && { updatedAt: { lte: behind }, OR: [{ updatedAt: { lt: behind } }, { id: { lt: after.id } }] }),
      },
      orderBy: [{ updatedAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
      include: { turns: { orderBy: { createdAt: 'asc' }, take: 1, select: { message: true } } },
    });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      conversations: shown.map(({ id, createdAt, updatedAt, turns }) => ({
        id,
        createdAt,
        updatedAt,
        firstMessage: turns[0]?.message ?? null,
      })),
      next: last ? { at: last.updatedAt.getTime(), id: last.id } : null,
    };
  }

  /** A conversation with a page of its turns: the latest, then those before. Null when the owner has no such conversation. */
  async read({ tenantId, owner, conversationId: id }: ConversationKey, { limit, after }: PageAsked): Promise<StoredConversation | null> {
    const behind = after && new Date(after.at);
    const row = await this.#database.conversation.findFirst({
      where: { tenantId, id, owner },
      include: {
        turns: {
          where: {
            state: { not: 'replaced' },
            ...(after && behind && { createdAt: { lte: behind }, OR: [{ createdAt: { lt: behind } }, { id: { lt: after.id } }] }),
          },
          orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
          take: limit + 1,
        },
      },
    });
    if (!row) return null;
    const shown = row.turns.slice(0, limit);
    const first = row.turns.length > limit ? shown.at(-1) : undefined;
    const turns = shown
      .toReversed()
      .flatMap(({ id: jobId, message, content, state, steps, createdAt, finishedAt }): StoredTurn[] =>
        state === 'replaced' ? [] : [{ jobId, message, content, state, steps: parseSteps(steps), createdAt, finishedAt }],
      );
    const next = first ? { at: first.createdAt.getTime(), id: first.id } : null;
    return { id, createdAt: row.createdAt, updatedAt: row.updatedAt, turns, next };
  }

  /** Deletes a conversation with its turns. @returns the jobs of its turns; null when the owner has no such conversation */
  async remove({ tenantId, owner, conversationId: id }: ConversationKey): Promise<readonly string[] | null> {
    const turns = await this.#database.chatTurn.findMany({
      where: { tenantId, conversationId: id, conversation: { owner } },
      select: { id: true },
    });
    const { count } = await this.#database.conversation.deleteMany({ where: { tenantId, id, owner } });
    return count === 0 ? null : turns.map((turn) => turn.id);
  }

  /** Deletes the message of a turn, and its conversation where it holds no other. */
  async takeBack({ tenantId, owner, conversationId, jobId }: TurnKey): Promise<void> {
    await this.#database.$executeRaw`
      WITH gone AS (DELETE FROM chat_turn WHERE tenant_id = ${tenantId} AND id = ${jobId})
      DELETE FROM conversation WHERE tenant_id = ${tenantId} AND id = ${conversationId}::uuid AND owner = ${owner}
        AND NOT EXISTS (SELECT FROM chat_turn WHERE tenant_id = ${tenantId} AND conversation_id = ${conversationId}::uuid AND id <> ${jobId})`;
  }

  /**
   * Deletes conversations, of every owner, in which nothing was written after a time. One process does so at a time, in short statements
   * that pass over conversations which somebody writes to.
   * @returns how many it deleted; 0 while another process does
   */
  async removeIdle(since: Date): Promise<number> {
    for (let removed = 0; ;) {
      const count = await this.#database.$executeRaw`
        WITH lease AS MATERIALIZED (
          SELECT pg_try_advisory_xact_lock(hashtext('conversation')) AS held
        ), idle AS (
          SELECT tenant_id, id FROM conversation WHERE updated_at < ${since} AND (SELECT held FROM lease)
          ORDER BY updated_at LIMIT ${removedAtOnce} FOR UPDATE SKIP LOCKED
        )
        DELETE FROM conversation USING idle WHERE conversation.tenant_id = idle.tenant_id AND conversation.id = idle.id`;
      removed += count;
      if (count < removedAtOnce) return removed;
    }
  }
}

/** Gives the id of the owner's conversation, made when there was none; no row when it belongs to somebody else. */
function claimStatement({ tenantId, owner, conversationId }: ConversationKey): Sql {
  return sql`
    INSERT INTO conversation AS held (tenant_id, id, owner) VALUES (${tenantId}, ${conversationId}::uuid, ${owner})
    ON CONFLICT (tenant_id, id) DO UPDATE SET updated_at = now() WHERE held.owner = EXCLUDED.owner
    RETURNING id`;
}
