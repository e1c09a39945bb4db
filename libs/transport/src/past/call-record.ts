import { isSystemFault, type ErrorCause, type Outcome, type ToolError } from '#lib/contracts';
import { logCall, type Logger } from '#lib/platform';
import { sharedClock } from '../redis/shared-clock.js';
import { tenantCalls, toolCalls, toolCallSeconds } from '../metrics.js';
import { errorSink } from './call-error.js';
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

/** Of a message. */
const shownCharacters = 300;
/** Each is a series of its own in Prometheus, in every process. */
const tenants = new BoundedLabel(1_000);

/** Whose fault an error is. */
export function causeOf({ http_status, attempts }: Pick<CallRecord, 'http_status' | 'attempts'>): ErrorCause {
  return isSystemFault({ httpStatus: http_status, hasRun: attempts > 0 }) ? 'system' : 'caller';
}

interface EndFacts {
  readonly outcome: Outcome;
  /** What the tool threw, where that may be shown. */
  readonly thrown?: string | undefined;
  /** What the handler recorded of the call. */
  readonly facts?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** Logs the one completion record of a call and counts it. */
export function recordCall(log: Logger, call: CallRecord, { outcome, thrown, facts = {} }: EndFacts): void {
  recordSink.push(call);
  if (!outcome.ok) countError(call, outcome.error, thrown);
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

function countError(call: CallRecord, { code, native_code, family, message }: ToolError, thrown: string | undefined): void {
  const { tenant_id, tool_name, trace_id, job_id, user_id } = call;
  errorSink.push({
    at: sharedClock.now(),
    family,
    kind: {
      tenant_id,
      tool_name,
      code,
      native_code: native_code ?? null,
      cause: causeOf(call),
    },
    sample: { trace_id, job_id, user_id, message: (thrown ?? message).slice(0, shownCharacters) },
  });
}
