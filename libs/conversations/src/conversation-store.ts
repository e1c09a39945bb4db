// Conversations as the worker sees them. Users' are in Postgres; a guest's last as long as the guest's session.
import { z } from 'zod';
import type { Database } from '#lib/platform';
import type { PastTurn } from '../agent/messages.js';
import type { AgentResult } from '../agent/core-agent.js';
import type { Step } from '../agent/step.js';

export interface TurnPlace {
  readonly tenantId: string;
  /** Principal of the caller, whose conversation it must be. */
  readonly owner: string;
  readonly conversationId: string;
  readonly jobId: string;
}

export interface TurnEnd {
  readonly state: 'completed' | 'failed' | 'stopped';
  readonly content: string;
  readonly steps: readonly Step[];
  readonly usage: AgentResult['usage'];
}

export interface TurnStore {
  /**
   * Notes the message, and the conversation with its first. Doing it twice is the same as once. Throws ForeignConversation.
   * @param regenerate the last answer is replaced
   */
  readonly begin: (place: TurnPlace, message: string, regenerate: boolean) => Promise<void>;
  /** Turns before this one, oldest first; without those that nothing was answered to. None of a foreign conversation. */
  readonly history: (place: TurnPlace) => Promise<readonly PastTurn[]>;
  readonly end: (place: TurnPlace, end: TurnEnd) => Promise<void>;
}

/** The conversation belongs to somebody else. The doors refuse it first; two who begin it at once come this far. */
export class ForeignConversation extends Error {
  override readonly name = 'ForeignConversation';
}

/** The most turns that are ever looked at; the budget of tokens is reached long before. */
const maxTurns = 60;
/** The most characters of one result that is kept for later turns. */
const keptResultCharacters = 8_000;

const stepSchema = z.object({
  text: z.string(),
  calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.record(z.string(), z.unknown()) })),
  results: z.array(
    z.object({ type: z.literal('tool_result'), id: z.string(), name: z.string(), result: z.record(z.string(), z.unknown()) }),
  ),
});
const stepsSchema = z.array(stepSchema);
const rowsSchema = z.array(z.object({ message: z.string(), content: z.string(), steps: z.unknown() }));

/** Each method is one statement: of hundreds of turns that begin at once each waits for its few places at the database. */
export function turnsInPostgres(database: Pick<Database, '$queryRaw' | '$executeRaw'>): TurnStore {
  return {
    begin: async ({ tenantId, owner, conversationId, jobId }, message, regenerate) => {
      const rows: readonly unknown[] = await database.$queryRaw`
        WITH mine AS (
          INSERT INTO conversation AS held (tenant_id, id, owner) VALUES (${tenantId}, ${conversationId}::uuid, ${owner})
          ON CONFLICT (tenant_id, id) DO UPDATE SET updated_at = now() WHERE held.owner = EXCLUDED.owner
          RETURNING id
        ), added AS (
          INSERT INTO chat_turn (tenant_id, id, conversation_id, message) SELECT ${tenantId}, ${jobId}, id, ${message} FROM mine
          ON CONFLICT (tenant_id, id) DO NOTHING
          RETURNING id
        ), answered AS (
          SELECT id FROM chat_turn
          WHERE ${regenerate} AND tenant_id = ${tenantId} AND conversation_id = ${conversationId}::uuid AND id <> ${jobId} AND state <> 'replaced'
          ORDER BY created_at DESC LIMIT 1
        ), settled AS (
          -- One turn runs at a time: whatever else still says so was lost.
          UPDATE chat_turn SET state = CASE WHEN id IN (SELECT id FROM answered) THEN 'replaced' ELSE 'failed' END::turn_state
          WHERE tenant_id = ${tenantId} AND conversation_id = ${conversationId}::uuid AND id <> ${jobId}
            AND (state = 'running' OR id IN (SELECT id FROM answered)) AND EXISTS (SELECT FROM added)
        )
        SELECT id FROM mine`;
      if (rows.length === 0) throw new ForeignConversation('The conversation belongs to somebody else; begin a new one');
    },
    history: async ({ tenantId, owner, conversationId, jobId }) => {
      const rows = await database.$queryRaw`
        SELECT message, content, steps FROM chat_turn
        WHERE tenant_id = ${tenantId} AND conversation_id = ${conversationId}::uuid AND id <> ${jobId}
          AND state IN ('completed', 'failed', 'stopped')
          AND EXISTS (SELECT FROM conversation WHERE tenant_id = ${tenantId} AND id = ${conversationId}::uuid AND owner = ${owner})
        ORDER BY created_at DESC LIMIT ${maxTurns}`;
      return pastTurns(rowsSchema.parse(rows).toReversed());
    },
    end: async ({ tenantId, conversationId, jobId }, { state, content, steps, usage }) => {
      const finishedAt = new Date();
      await database.$executeRaw`
        WITH ended AS (
          UPDATE chat_turn SET state = ${state}::turn_state, content = ${content}, steps = ${JSON.stringify(storable(steps))}::jsonb,
            input_tokens = ${usage.input_tokens}, output_tokens = ${usage.output_tokens}, finished_at = ${finishedAt}
          WHERE tenant_id = ${tenantId} AND id = ${jobId}
        )
        UPDATE conversation SET updated_at = ${finishedAt} WHERE tenant_id = ${tenantId} AND id = ${conversationId}::uuid`;
    },
  };
}

/** Rows as the model may be shown them. What cannot be read any more is left out rather than shown wrongly. */
export function pastTurns(
  rows: readonly { readonly message: string; readonly content: string; readonly steps: unknown }[],
): readonly PastTurn[] {
  return rows.flatMap(({ message, content, steps }): PastTurn[] => {
    const parsed = stepsSchema.safeParse(steps);
    if (parsed.success && parsed.data.length > 0) return [{ message, steps: parsed.data }];
    return content ? [{ message, steps: [{ text: content, calls: [], results: [] }] }] : [];
  });
}

/** Steps as plain JSON, without results that are too large to be shown again. */
export function storable(steps: readonly Step[]) {
  return steps.map(({ text, calls, results }) => ({
    text,
    calls: calls.map(({ id, name, arguments: input }) => ({ id, name, arguments: plain(input) })),
    results: results.map(({ type, id, name, result }) => ({ type, id, name, result: shortened(result) })),
  }));
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

function plain(value: unknown): Json {
  const json: Json = JSON.parse(JSON.stringify(value ?? null));
  return json;
}

function shortened(result: Readonly<Record<string, unknown>>): Json {
  const text = JSON.stringify(result);
  if (text.length <= keptResultCharacters) return plain(result);
  return { truncated: true, text: text.slice(0, keptResultCharacters).toWellFormed() };
}
