import { z } from 'zod';
import { principal, callRow, type CallRow } from '#lib/contracts';
import { wholeMs } from './logged-call.js';
import type { CallChange } from './call-reports.js';

/** As Redis has it. A newer process may write more. */
const stored = z.object({ run: z.object(callRow.shape), who: z.string() });

/** A call in the lists of calls. It has neither input nor result. */
export interface ListedCall {
  readonly call: CallRow;
  /** The principal of its caller. */
  readonly who: string;
}

export const encodeCall = ({ call, who }: ListedCall): string => JSON.stringify({ run: call, who });
export const decodeCall = (text: string): ListedCall => {
  const { run, who } = stored.parse(JSON.parse(text));
  return { call: run, who };
};

/** A call as its record has it. */
export function toListedCall({ jobId, head, state, startedAt, attempts, ending }: CallChange): ListedCall {
  const outcome = ending?.outcome;
  const call: CallRow = {
    job_id: jobId,
    tool_name: head.tool,
    tool_version: head.version,
    state: ending?.state ?? state,
    error: outcome && !outcome.ok ? { code: outcome.error.code, native_code: outcome.error.native_code ?? null } : null,
    tenant_id: head.caller.tenantId,
    user_id: head.caller.userId,
    trace_id: head.traceId,
    attempts_made: ending?.attempts ?? attempts,
    max_attempts: head.maxAttempts,
    created_at: iso(head.createdAt),
    started_at: isoOrNull(ending?.startedAt ?? startedAt),
    finished_at: isoOrNull(ending?.finishedAt ?? null),
    duration_ms: ending ? wholeMs(head, ending) : null,
    replay_of: head.replayOf ?? null,
  };
  return { call, who: principal(head.caller) };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}
