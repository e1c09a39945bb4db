import { isSystemFault, outcomeFacts, principal, redact, type Caller, type ErrorCause, type ToolContract } from '#lib/contracts';
import type { Ending, CallHead } from '../record/codec.js';
import type { EndedCall } from '../record/finish-result.js';

/** What is logged of every call, whoever ended it (AW-42…45, TU-97). `params` is already redacted by the contract. */
export interface LoggedCall {
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

/** Whose fault an error is. */
export function causeOf({ http_status, attempts }: Pick<LoggedCall, 'http_status' | 'attempts'>): ErrorCause {
  return isSystemFault({ httpStatus: http_status, hasRun: attempts > 0 }) ? 'system' : 'caller';
}

/**
 * From acceptance to the end, without rests, in ms. The two moments are read on the clocks of two machines, or of one that was set in between: where
 * they contradict each other, the call took as long as its handler ran.
 */
export function wholeMs(
  { createdAt }: Pick<CallHead, 'createdAt'>,
  ending: Pick<Ending, 'finishedAt' | 'executionMs' | 'restedMs'>,
): number {
  return Math.max(ending.executionMs, ending.finishedAt - createdAt - (ending.restedMs ?? 0));
}

/** What is logged of an ended call, whichever process ended it. Parameters are redacted by the contract's marks. */
export function loggedCall({ jobId, head, ending }: EndedCall, contract: ToolContract | undefined) {
  return {
    trace_id: head.traceId,
    request_id: head.requestId ?? null,
    tool_name: head.tool,
    tenant_id: head.caller.tenantId,
    ...whoOf(head.caller, head.input, contract),
    job_id: jobId,
    params: contract ? redact(contract.input, 'input', head.input) : null,
    started_at: head.createdAt,
    duration_ms: wholeMs(head, ending),
    execution_time_ms: ending.executionMs,
    attempts: ending.attempts,
    ...outcomeFacts(ending.outcome),
    cache_hit: false,
  };
}

/** Whose data a call is about, and who makes it: the user asked for where the contract has one, else the caller (AW-45). */
export function whoOf(caller: Caller, input: unknown, contract: ToolContract | undefined): { user_id: string | null; caller_id: string } {
  const asked = contract?.subject && typeof input === 'object' && input !== null ? Reflect.get(input, contract.subject.param) : undefined;
  return { user_id: typeof asked === 'string' ? asked.slice(0, 128) : caller.userId, caller_id: principal(caller) };
}
