import { logCall, type Logger } from '#lib/platform';
import { tenantCalls, toolCalls, toolCallSeconds } from '../metrics.js';
import { Sink } from './sink.js';
import { BoundedLabel } from './bounded-label.js';

/** What is kept of every call, whoever ended it (AW-42…45, TU-97). `params` is already redacted by the contract. */
export interface CallRecord {
  readonly trace_id: string;
  readonly request_id: string | null;
  readonly tool_name: string;
  readonly tenant_id: string | null;
  /** Whose data the call is about. */
  readonly user_id: string | null;
  /** Who made it. */
  readonly caller_id: string;
  readonly job_id: string | null;
  readonly params: unknown;
  /** Epoch milliseconds. */
  readonly started_at: number;
  readonly duration_ms: number;
  readonly execution_time_ms: number;
  readonly attempts: number;
  readonly success: boolean;
  readonly error_code: string | null;
  readonly native_code: string | null;
  readonly http_status: number;
  readonly cache_hit: boolean;
}

/** Calls that ended in this process, whether they were jobs, were answered by the cache or were refused. */
export const recordSink = new Sink<CallRecord>();

/** Each is a series of its own in Prometheus, in every process. */
const tenants = new BoundedLabel(1_000);

/**
 * Logs the one completion record of a call and counts it.
 * @param facts what the handler recorded of the call
 */
export function recordCall(log: Logger, call: CallRecord, facts: Readonly<Record<string, string | number | boolean>> = {}): void {
  recordSink.push(call);
  const result = call.success ? 'success' : call.http_status < 500 ? 'refused' : 'failed';
  toolCalls.inc({ tool: call.tool_name, result, code: call.error_code ?? '', cache: call.cache_hit ? 'hit' : 'miss' });
  tenantCalls.inc({ tenant: tenants.of(call.tenant_id ?? 'none'), result });
  // Only calls that ran: refusals and cached answers would lower the percentiles.
  if (call.job_id !== null) toolCallSeconds.observe({ tool: call.tool_name }, call.duration_ms / 1_000);
  const fields = {
    ...facts,
    ...call,
    event: 'call-end',
    status: call.success ? 'success' : 'error',
    started_at: new Date(call.started_at).toISOString(),
  };
  if (result === 'failed') logCall(log, { level: 'error', message: 'call failed', fields });
  else logCall(log, { level: 'info', message: 'call ended', fields });
}
