// What webhooks are told of: facts and links. A result is behind its link, for those who may read it.
import type { Database } from '#lib/platform';
import type { HistoryCall, RestedCall } from '#lib/transport';
import type { OutboxEvent } from './outbox-event.js';

type InputRow = NonNullable<Awaited<ReturnType<Database['inputRequest']['findUnique']>>>;
type ScheduleRow = NonNullable<Awaited<ReturnType<Database['schedule']['findUnique']>>>;

/**
 * A decision is written beside the call, and not with it: it waits until what came before it has come through the history, so that it is not
 * told first.
 */
const decidedAfterMs = 2_000;

export function endedEvent(call: HistoryCall): OutboxEvent {
  const { job_id, tenant_id, finished_at, started_at, code, native_code } = call;
  return {
    tenantId: tenant_id,
    type: `call.${call.state}`,
    key: job_id,
    at: finished_at,
    jobId: job_id,
    callback: call.callback,
    data: {
      job_id,
      state: call.state,
      tool_name: call.tool_name,
      tool_version: call.tool_version,
      error: code === null ? null : { code, native_code },
      tenant_id,
      user_id: call.user_id,
      trace_id: call.trace_id,
      attempts_made: call.attempts_made,
      created_at: timeOf(call.created_at),
      started_at: started_at === null ? null : timeOf(started_at),
      finished_at: timeOf(finished_at),
      execution_ms: call.execution_ms,
      replay_of: call.replay_of,
    },
    links: linksOf(job_id),
  };
}

export function restingEvent({ job_id, tenant_id, reason, since, until, input_request, created_at, ...call }: RestedCall): OutboxEvent {
  const { tool_name, tool_version, user_id, trace_id } = call;
  const rest = { reason, since: timeOf(since), until: timeOf(until), ...(input_request !== null && { input_request }) };
  return {
    tenantId: tenant_id,
    type: 'call.resting',
    key: `${job_id} ${since}`,
    at: since,
    jobId: job_id,
    data: { job_id, state: 'resting', tool_name, tool_version, rest, tenant_id, user_id, trace_id, created_at: timeOf(created_at) },
    links: linksOf(job_id),
  };
}

export function requestedEvent(row: InputRow): OutboxEvent {
  return {
    ...ofInput(row),
    type: 'input.requested',
    at: row.createdAt.getTime(),
    data: {
      ...factsOf(row),
      message: row.message,
      requested_by: row.requestedBy,
      created_at: row.createdAt.toISOString(),
      expires_at: row.expiresAt.toISOString(),
    },
  };
}

/** @param row as it was decided */
export function decidedEvent(row: InputRow): OutboxEvent {
  const { state, decidedBy, decidedAt, reason, edited } = row;
  return {
    ...ofInput(row),
    type: 'input.decided',
    at: (decidedAt ?? row.expiresAt).getTime(),
    afterMs: decidedAfterMs,
    data: { ...factsOf(row), state, decided_by: decidedBy, decided_at: decidedAt?.toISOString() ?? null, reason, edited },
  };
}

/** @param at the moment at which no gateway was there */
export function missedEvent({ id, tenantId, name, owner, tool }: ScheduleRow, at: Date): OutboxEvent {
  return {
    tenantId,
    type: 'schedule.missed',
    key: `${id} ${at.toISOString()}`,
    at: at.getTime(),
    data: { schedule_id: id, name, owner, tool_name: tool, tenant_id: tenantId, missed_at: at.toISOString() },
    links: { self: `/schedules/${id}`, runs: `/schedules/${id}/runs` },
  };
}

export function disabledEvent({ id, tenantId }: { readonly id: string; readonly tenantId: string }, reason: string, at: Date): OutboxEvent {
  const disabled_at = at.toISOString();
  return {
    tenantId,
    type: 'webhook.disabled',
    key: `${id} ${disabled_at}`,
    at: at.getTime(),
    data: { webhook_id: id, tenant_id: tenantId, reason, disabled_at },
    links: { self: `/webhooks/${id}`, deliveries: `/webhooks/${id}/deliveries` },
  };
}

function ofInput({ id, tenantId, jobId }: InputRow) {
  return { tenantId, key: id, jobId, links: { self: `/input-requests/${id}`, job: `/jobs/${jobId}` } };
}

function factsOf({ id, kind, jobId, tool, tenantId }: InputRow) {
  return { id, kind, job_id: jobId, tool_name: tool, tenant_id: tenantId };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

function linksOf(jobId: string): OutboxEvent['links'] {
  return { self: `/jobs/${jobId}`, events: `/jobs/${jobId}/events` };
}
