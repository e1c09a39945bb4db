import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  pastCall,
  principal,
  type Caller,
  type CallSums,
  type CallSumsQuery,
  type HistoryPage,
  type HistoryQuery,
  type PastCall,
  type SumGroup,
} from '#lib/contracts';
import { joinSql, sql, type Database, type Sql } from '#lib/platform';
import { quantilesOf, wholeMs, type Quantiles } from '#lib/transport';
import { requireScopeOf } from '../http/tenant-rights.js';
import { stored } from '../http/stored.js';
import { Cursors } from '../http/cursors.js';
import { Stores } from '../stores.js';

type HistoryRow = Awaited<ReturnType<Database['callHistory']['findMany']>>[number];

const callPlace = z.strictObject({ finishedAt: z.number(), jobId: z.string() });
const sumPlace = z.strictObject({ offset: z.number().int().nonnegative() });

const columns: Readonly<Record<SumGroup, Sql>> = {
  day: sql`day`,
  tenant: sql`tenant_id`,
  user: sql`user_id`,
  key: sql`credential_id`,
  tool: sql`tool_name`,
  model: sql`model`,
  conversation: sql`conversation_id`,
};
/** Empty where there is none, in the table. */
const optional = new Set<SumGroup>(['model', 'conversation']);

type Sum = CallSums['sums'][number];
type SumRow = Omit<Sum, keyof Quantiles> & { readonly place: bigint; readonly latencies: Readonly<Record<string, number>> | null };

/** What the history in Postgres has of ended calls. Every method throws NETWORK_ERROR while Postgres is away. */
@Injectable()
export class CallHistory {
  readonly #calls: Cursors<z.infer<typeof callPlace>>;
  readonly #sums: Cursors<z.infer<typeof sumPlace>>;

  constructor(private readonly stores: Stores) {
    this.#calls = new Cursors(stores.settings.SEALING_KEYS, callPlace);
    this.#sums = new Cursors(stores.settings.SEALING_KEYS, sumPlace);
  }

  /** Throws PERMISSION_DENIED for calls of others without the scope for them, INVALID_PARAMS for a cursor of another query. */
  async page(caller: Caller, { cursor, limit, ...query }: HistoryQuery): Promise<HistoryPage> {
    requireScopeOf(caller, query.scope, 'Calls');
    const binding = JSON.stringify([principal(caller), query]);
    const place = cursor === undefined ? null : this.#calls.open(cursor, binding);
    const { scope, tenant, state, outcome, tool, code, user, from, to } = query;
    const behind = place && new Date(place.finishedAt);
    const rows = await stored('The history cannot be read at the moment', () =>
      this.stores.database.callHistory.findMany({
        where: {
          ...(tenant !== undefined && { tenantId: tenant }),
          ...(scope === 'mine' && { caller: principal(caller) }),
          ...(scope === 'tenant' && { tenantId: caller.tenantId }),
          ...(state !== undefined && { state }),
          ...(tool !== undefined && { toolName: tool }),
          ...(user !== undefined && { userId: user }),
          finishedAt: { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lt: to }), ...(behind && { lte: behind }) },
          AND: [
            ...(outcome === undefined ? [] : [endedLike(outcome)]),
            ...(code === undefined ? [] : [{ OR: [{ code }, { nativeCode: code }] }]),
            ...(place && behind ? [{ OR: [{ finishedAt: { lt: behind } }, { jobId: { lt: place.jobId } }] }] : []),
          ],
        },
        orderBy: [{ finishedAt: 'desc' }, { jobId: 'desc' }],
        take: limit + 1,
      }),
    );
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      calls: shown.map(pastCallOf),
      pagination: {
        has_more: last !== undefined,
        next_cursor: last ? this.#calls.seal({ finishedAt: last.finishedAt.getTime(), jobId: last.jobId }, binding) : null,
      },
    };
  }

  /** Throws as `page` does. */
  async sums(caller: Caller, { cursor, limit, ...query }: CallSumsQuery): Promise<CallSums> {
    const { scope, tenant, tool, user, conversation, from, to, by } = query;
    requireScopeOf(caller, scope, 'Calls');
    const binding = JSON.stringify([principal(caller), query]);
    const offset = cursor === undefined ? 0 : this.#sums.open(cursor, binding).offset;
    const conditions = [
      sql`day BETWEEN ${from}::date AND ${to}::date`,
      ...(scope === 'mine' ? [sql`tenant_id = ${caller.tenantId} AND caller = ${principal(caller)}`] : []),
      ...(scope === 'tenant' ? [sql`tenant_id = ${caller.tenantId}`] : []),
      ...(tenant === undefined ? [] : [sql`tenant_id = ${tenant}`]),
      ...(tool === undefined ? [] : [sql`tool_name = ${tool}`]),
      ...(user === undefined ? [] : [sql`user_id = ${user}`]),
      ...(conversation === undefined ? [] : [sql`conversation_id = ${conversation}`]),
    ];
    const groups = joinSql(by.map(keyOf));
    const chosen = sql`FROM call_usage WHERE ${joinSql(conditions, ' AND ')}`;
    // Both parts number the same groups in the same order.
    const rows = await stored(
      'The history cannot be read at the moment',
      () =>
        this.stores.database.$queryRaw<readonly SumRow[]>`
        WITH sums AS (
          SELECT row_number() OVER (ORDER BY ${groups}) AS place,
            ${joinSql(by.map((group) => sql`${keyOf(group)}${group === 'day' ? sql`::text` : sql``} AS ${columns[group]}`))},
            sum(completed + failed + cancelled)::float8 AS calls, sum(completed)::float8 AS completed, sum(failed)::float8 AS failed,
            sum(cancelled)::float8 AS cancelled, sum(attempts)::float8 AS attempts, sum(execution_ms) AS execution_ms,
            sum(input_tokens)::float8 AS input_tokens, sum(output_tokens)::float8 AS output_tokens,
            sum(cost_micros)::float8 AS cost_micros
          ${chosen} GROUP BY ${groups} ORDER BY ${groups} LIMIT ${limit + 1} OFFSET ${offset}
        ), classes AS (
          SELECT dense_rank() OVER (ORDER BY ${groups}) AS place, class, sum(number::bigint)::float8 AS number
          FROM (SELECT * ${chosen}) AS call_usage LEFT JOIN LATERAL jsonb_each_text(latencies) AS counts (class, number) ON true
          GROUP BY ${groups}, class
        )
        SELECT sums.*, latencies FROM sums LEFT JOIN LATERAL (
          SELECT jsonb_object_agg(class, number) AS latencies FROM classes WHERE classes.place = sums.place AND class IS NOT NULL
        ) AS ofGroup ON true ORDER BY place`,
    );
    const hasMore = rows.length > limit;
    return {
      from,
      to,
      sums: rows.slice(0, limit).map(sumOf),
      pagination: { has_more: hasMore, next_cursor: hasMore ? this.#sums.seal({ offset: offset + limit }, binding) : null },
    };
  }

  /**
   * Calls of some days that count for a caller: its own, and for the key of a tenant those that it made for users too.
   * Throws NETWORK_ERROR while Postgres is away.
   */
  async ofDays(caller: Caller, days: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const isOwn =
      caller.userId === null
        ? sql`(caller = ${principal(caller)} OR credential_id = ${caller.credentialId})`
        : sql`caller = ${principal(caller)}`;
    const rows = await stored(
      'The history cannot be read at the moment',
      () =>
        this.stores.database.$queryRaw<{ day: string; calls: number }[]>`
        SELECT day::text, sum(completed + failed + cancelled)::float8 AS calls FROM call_usage
        WHERE tenant_id = ${caller.tenantId} AND ${isOwn} AND day = ANY(${[...days]}::date[]) GROUP BY day`,
    );
    return new Map(rows.map(({ day, calls }) => [day, calls]));
  }
}

function endedLike(outcome: NonNullable<HistoryQuery['outcome']>) {
  if (outcome === 'succeeded') return { state: 'completed', code: null };
  return outcome === 'refused' ? { state: 'completed', code: { not: null } } : { state: outcome };
}

function sumOf({ place: _place, latencies, ...sum }: SumRow): Sum {
  return { ...sum, ...quantilesOf(new Map(Object.entries(latencies ?? {}).map(([latency, calls]) => [Number(latency), calls]))) };
}

function keyOf(group: SumGroup): Sql {
  const column = sql`call_usage.${columns[group]}`;
  return optional.has(group) ? sql`nullif(${column}, '')` : column;
}

function pastCallOf(row: HistoryRow): PastCall {
  const { executionMs, finishedAt, createdAt } = row;
  const ending = { finishedAt: finishedAt.getTime(), executionMs };
  return {
    job_id: row.jobId,
    tool_name: row.toolName,
    tool_version: row.toolVersion,
    state: pastCall.shape.state.parse(row.state),
    error: row.code === null ? null : { code: row.code, native_code: row.nativeCode },
    tenant_id: row.tenantId,
    user_id: row.userId,
    trace_id: row.traceId,
    attempts_made: row.attemptsMade,
    max_attempts: row.maxAttempts,
    created_at: createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: finishedAt.toISOString(),
    duration_ms: wholeMs({ createdAt: createdAt.getTime() }, ending),
    replay_of: row.replayOf,
    edited_by: row.editedBy,
    credential_id: row.credentialId,
    execution_ms: executionMs,
    network_ms: row.networkMs,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    cost_micros: Number(row.costMicros),
    model: row.model,
    conversation_id: row.conversationId,
  };
}
