import { z } from 'zod';
import { chatTurn, jobStates, principal } from '#lib/contracts';
import { domainOf, partitionOfJob } from '../redis/partition.js';
import type { Ending, CallHead } from './codec.js';
import type { EndedCall } from './finish-result.js';

const count = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);
/** Epoch milliseconds, up to the year 9999. */
const time = z.int().min(0).max(253_402_300_799_999);
const ms = z.number().min(0);
/** Postgres has neither the character 0 nor halves of a surrogate pair, which an id from outside may have. */
const text = z.string().transform((given) => given.replaceAll('\0', '\uFFFD').toWellFormed());

const historyCall = z.object({
  job_id: text,
  tenant_id: text,
  /** Null for a call of the tenant's own key. */
  user_id: text.nullable(),
  /** The principal of the caller. */
  caller: text,
  credential_id: text,
  domain: text,
  tool_name: text,
  tool_version: text,
  state: z.enum(jobStates).extract(['completed', 'failed', 'cancelled']),
  code: text.nullable(),
  native_code: text.nullable(),
  attempts_made: count,
  max_attempts: count,
  created_at: time,
  started_at: time.nullable(),
  finished_at: time,
  /** Handler time of the last attempt, and the part of it that was spent waiting for upstreams and stores. */
  execution_ms: ms,
  network_ms: ms,
  /** Of the models that it asked; null for a tool that asks none. */
  input_tokens: count.nullable(),
  output_tokens: count.nullable(),
  trace_id: text,
  replay_of: text.nullable(),
  /** Who is told of its end, and the webhook that signs that. The history does not keep it. */
  callback: z.object({ url: z.string(), webhook: z.string() }).optional(),
  /** Who approved it with other parameters than its caller's. Workers of the version before leave it out. */
  edited_by: text.nullable().default(null),
  /** In millionths of a US dollar. Workers of the version before leave it out. */
  cost_micros: z.int().min(0).default(0),
  /** The model that it asked last, and the conversation that it belongs to. Workers of the version before leave both out. */
  model: text.nullable().default(null),
  conversation_id: text.nullable().default(null),
  /** How long it rested, in ms. Workers of the version before leave it out. The history does not keep it. */
  rested_ms: ms.optional(),
  /** Of work that no caller asked for: budgets hold no room for it, and webhooks tell nothing of it. The history does not keep it. */
  background: z.boolean().optional(),
  /** Whether budgets of its tenant hold room for it. The history does not keep it. */
  budgeted: z.boolean().optional(),
});

/** What one entry of the stream holds. */
export const historyCalls = z.array(historyCall).min(1);

/** An ended call as the history keeps it: who called what, when, and how it ended. It has neither parameters nor results. */
export type HistoryCall = z.infer<typeof historyCall>;

/** What a tool says of the models that it asked, as `usage` of its data. */
const usedTokens = z.object({ input_tokens: count, output_tokens: count });

/**
 * What an ended call cost, in millionths of a US dollar: by its contract, and by what its handler has reported. Undefined where it did not run, or
 * neither says anything.
 */
export function costMicros(
  { costMicros: ofContract }: Pick<CallHead, 'costMicros'>,
  { attempts, reportedMicros: reported }: Pick<Ending, 'attempts' | 'reportedMicros'>,
): number | undefined {
  if (attempts === 0 || (ofContract === undefined && reported === undefined)) return undefined;
  return (ofContract ?? 0) + (reported ?? 0);
}

/** The conversation that a call belongs to: a turn, or what a turn has called. */
function conversationOf({ tool, input, caller }: Pick<CallHead, 'tool' | 'input' | 'caller'>): string | null {
  if (tool !== chatTurn.name) return caller.conversationId ?? null;
  return chatTurn.input.shape.conversation_id.safeParse(input['conversation_id']).data ?? null;
}

/** The entry that the end of a call writes. */
export function historyEntry({ jobId, head, ending }: EndedCall): string {
  const { outcome } = ending;
  const error = outcome.ok ? null : outcome.error;
  const usage: unknown = outcome.ok ? Reflect.get(Object(outcome.data), 'usage') : undefined;
  // Most tools ask no model, and what does not parse costs an error.
  const tokens = usage === undefined ? undefined : usedTokens.safeParse(usage).data;
  const call: HistoryCall = {
    job_id: jobId,
    tenant_id: head.caller.tenantId,
    user_id: head.caller.userId,
    caller: principal(head.caller),
    credential_id: head.caller.credentialId,
    domain: domainOf(partitionOfJob(jobId)),
    tool_name: head.tool,
    tool_version: head.version,
    state: ending.state,
    code: error?.code ?? null,
    native_code: error?.native_code ?? null,
    attempts_made: ending.attempts,
    max_attempts: head.maxAttempts,
    created_at: Math.round(head.createdAt),
    started_at: ending.startedAt === null ? null : Math.round(ending.startedAt),
    finished_at: Math.round(ending.finishedAt),
    execution_ms: Math.max(0, ending.executionMs),
    network_ms: Math.max(0, ending.networkMs),
    input_tokens: tokens?.input_tokens ?? null,
    output_tokens: tokens?.output_tokens ?? null,
    trace_id: head.traceId,
    replay_of: head.replayOf ?? null,
    ...(head.callback && { callback: head.callback }),
    edited_by: head.editedBy ?? null,
    cost_micros: costMicros(head, ending) ?? 0,
    model: ending.model ?? null,
    conversation_id: conversationOf(head),
    ...(ending.restedMs !== undefined && ending.restedMs > 0 && { rested_ms: ending.restedMs }),
    ...(head.budgeted && { budgeted: true }),
  };
  return JSON.stringify(call);
}
