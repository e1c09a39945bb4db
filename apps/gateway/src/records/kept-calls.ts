import { latencyClass, wholeMs, type HistoryCall } from '#lib/transport';

const dayMs = 24 * 3_600_000;

/** Ended calls as the function `keep_calls` of Postgres takes them: their days of UTC, and a list of values for each. */
export function keptCalls(calls: readonly HistoryCall[]): string {
  const days = new Set(calls.map(({ finished_at: finishedAt }) => Math.floor(finishedAt / dayMs)));
  return JSON.stringify({
    days: [...days].map((day) => new Date(day * dayMs).toISOString().slice(0, 10)),
    calls: calls.map(valuesOf),
  });
}

/** In the order in which the function reads them. */
function valuesOf(call: HistoryCall): readonly (string | number | null)[] {
  return [
    call.finished_at,
    call.job_id,
    latencyClassOf(call),
    call.created_at,
    call.started_at,
    call.execution_ms,
    call.network_ms,
    call.state,
    call.attempts_made,
    call.max_attempts,
    call.tenant_id,
    call.user_id,
    call.caller,
    call.credential_id,
    call.domain,
    call.tool_name,
    call.tool_version,
    call.trace_id,
    call.cost_micros,
    call.input_tokens,
    call.output_tokens,
    call.model,
    call.conversation_id,
    call.code,
    call.native_code,
    call.replay_of,
    call.edited_by,
  ];
}

/** Of the time from acceptance to end without rests. */
function latencyClassOf({
  created_at: createdAt,
  finished_at: finishedAt,
  execution_ms: executionMs,
  rested_ms: restedMs = 0,
}: HistoryCall): number {
  return latencyClass(wholeMs({ createdAt }, { finishedAt, executionMs, restedMs }));
}
