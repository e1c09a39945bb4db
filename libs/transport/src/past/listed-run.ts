import { z } from 'zod';
import { principal, runSchema, type Run } from '#lib/contracts';
import { wholeMs } from './ended-call.js';
import type { RunRecord } from './run-sink.js';

/** A newer process may write more. */
const listedRun = z.object({ run: z.object(runSchema.shape), who: z.string() });

/** A run in the lists of runs. It has neither input nor result. */
export interface ListedRun {
  readonly run: Run;
  /** The principal of its caller. */
  readonly who: string;
}

export const encodeRun = (run: ListedRun): string => JSON.stringify(run);
export const decodeRun = (text: string): ListedRun => listedRun.parse(JSON.parse(text));

/** A run as its record has it. */
export function toListedRun({ jobId, head, state, startedAt, runs, ending }: RunRecord): ListedRun {
  const outcome = ending?.outcome;
  const run: Run = {
    job_id: jobId,
    tool_name: head.tool,
    tool_version: head.version,
    state: ending?.state ?? state,
    error: outcome && !outcome.ok ? { code: outcome.error.code, native_code: outcome.error.native_code ?? null } : null,
    tenant_id: head.caller.tenantId,
    user_id: head.caller.userId,
    trace_id: head.traceId,
    attempts_made: ending?.attempts ?? runs,
    max_attempts: head.maxAttempts,
    created_at: iso(head.createdAt),
    started_at: isoOrNull(ending?.startedAt ?? startedAt),
    finished_at: isoOrNull(ending?.finishedAt ?? null),
    duration_ms: ending ? wholeMs(head, ending) : null,
    replay_of: head.replayOf ?? null,
  };
  return { run, who: principal(head.caller) };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}
