import type { Outcome, ToolError } from '#lib/contracts';
import { logCall, type Logger } from '#lib/platform';
import type { Metrics } from '../metrics.js';
import type { CallRecord } from '../record/call-record.js';
import { BoundedLabel } from './bounded-label.js';
import type { CallError } from './call-error.js';
import { causeOf, type LoggedCall } from './logged-call.js';
import { Sink } from './sink.js';

export type CallChange = Pick<CallRecord, 'jobId' | 'head' | 'state' | 'startedAt' | 'attempts' | 'ending'>;

/** A call of which it is known that it has ended. The gateway or worker that ended it lists it. */
export interface EndHeard {
  readonly jobId: string;
  readonly state: 'ended elsewhere';
}

interface EndFacts {
  readonly outcome: Outcome;
  /** What the tool threw, where that may be shown. */
  readonly thrown?: string | undefined;
  /** What the handler recorded of the call. */
  readonly facts?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** Of a message. */
const shownCharacters = 300;

/** What happens to calls in one gateway or worker: for its log and metrics, and for the writers of lists and counts. */
export class CallReports {
  /** Calls that began or ended here, and those that ended elsewhere. */
  readonly changes = new Sink<CallChange | EndHeard>();
  /** Calls that ended here, whether they were jobs, were answered by the cache or were refused. */
  readonly records = new Sink<LoggedCall>();
  /** Calls that ended here with an error. */
  readonly errors = new Sink<CallError>();
  readonly metrics: Metrics;
  readonly #log: Logger;
  readonly #now: () => number;
  /** Each is a series of its own in Prometheus. */
  readonly #tenants = new BoundedLabel(1_000);

  /** @param now epoch ms, the same for all processes */
  constructor(log: Logger, now: () => number, metrics: Metrics) {
    this.#log = log;
    this.#now = now;
    this.metrics = metrics;
  }

  /** Logs the one completion record of a call and counts it. */
  record(call: LoggedCall, { outcome, thrown, facts = {} }: EndFacts): void {
    const { toolCalls, tenantCalls, toolCallSeconds } = this.metrics;
    this.records.push(call);
    if (!outcome.ok) this.#countError(call, outcome.error, thrown);
    const result = call.success ? 'success' : call.http_status < 500 ? 'refused' : 'failed';
    toolCalls.inc({ tool: call.tool_name, result, code: call.error_code ?? '', cache: call.cache_hit ? 'hit' : 'miss' });
    tenantCalls.inc({ tenant: this.#tenants.of(call.tenant_id ?? 'none'), result });
    // Only calls that ran: refusals and cached answers would lower the percentiles.
    if (call.job_id !== null) toolCallSeconds.observe({ tool: call.tool_name }, call.duration_ms / 1_000);
    const fields = {
      ...facts,
      ...call,
      event: 'call-end',
      status: call.success ? 'success' : 'error',
      started_at: new Date(call.started_at).toISOString(),
    };
    if (result === 'failed') logCall(this.#log, { level: 'error', message: 'call failed', fields });
    else logCall(this.#log, { level: 'info', message: 'call ended', fields });
  }

  #countError(call: LoggedCall, { code, native_code, family, message }: ToolError, thrown: string | undefined): void {
    const { tenant_id, tool_name, trace_id, job_id, user_id } = call;
    this.errors.push({
      at: this.#now(),
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
}
