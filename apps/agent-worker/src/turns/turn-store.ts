// Conversations as the worker sees them. Users' are in Postgres; a guest's last as long as the guest's session.
import { z } from 'zod';
import type { Database } from '#lib/platform';
import type { PastTurn } from '../agent/messages.js';
import type { AgentResult } from '../agent/core-agent.js';
import type { Step } from '../agent/step.js';

export interface TurnPlace {
  readonly tenantId: string;
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
  /** Notes the message. Doing it twice is the same as once. @param regenerate the last answer is replaced */
  readonly begin: (place: TurnPlace, message: string, regenerate: boolean) => Promise<void>;
  /** Turns before this one, oldest first; without those that nothing was answered to. */
  readonly history: (place: TurnPlace) => Promise<readonly PastTurn[]>;
  readonly end: (place: TurnPlace, end: TurnEnd) => Promise<void>;
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

export function turnsInPostgres(database: Pick<Database, 'chatTurn' | 'conversation'>): TurnStore {
  return {
    begin: async ({ tenantId, conversationId, jobId }, message, regenerate) => {
      const row = { tenantId, id: jobId, conversationId, message };
      const { count } = await database.chatTurn.createMany({ data: [row], skipDuplicates: true });
      if (count === 0) return;
      const others = { tenantId, conversationId, id: { not: jobId } };
      // One turn runs at a time: whatever else still says so was lost.
      await database.chatTurn.updateMany({ where: { ...others, state: 'running' }, data: { state: 'failed' } });
      if (regenerate) {
        const last = await database.chatTurn.findFirst({
          where: { ...others, state: { not: 'replaced' } },
          orderBy: { createdAt: 'desc' },
        });
        if (last) await database.chatTurn.update({ where: { tenantId_id: { tenantId, id: last.id } }, data: { state: 'replaced' } });
      }
    },
    history: async ({ tenantId, conversationId, jobId }) => {
      const rows = await database.chatTurn.findMany({
        where: { tenantId, conversationId, id: { not: jobId }, state: { in: ['completed', 'failed', 'stopped'] } },
        orderBy: { createdAt: 'desc' },
        take: maxTurns,
      });
      return pastTurns(rows.toReversed());
    },
    end: async ({ tenantId, conversationId, jobId }, { state, content, steps, usage }) => {
      const finishedAt = new Date();
      await database.chatTurn.updateMany({
        where: { tenantId, id: jobId },
        data: { state, content, steps: storable(steps), inputTokens: usage.input_tokens, outputTokens: usage.output_tokens, finishedAt },
      });
      await database.conversation.updateMany({ where: { tenantId, id: conversationId }, data: { updatedAt: finishedAt } });
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
