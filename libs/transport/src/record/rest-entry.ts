import { z } from 'zod';
import { restReasons, type Rest } from '#lib/contracts';
import type { CallHead } from './codec.js';

/** Epoch milliseconds, up to the year 9999. */
const time = z.number().min(0).max(253_402_300_799_999);

/** A call that has gone to rest, as webhooks are told of it. */
export const restedCall = z.object({
  job_id: z.string(),
  tenant_id: z.string(),
  user_id: z.string().nullable(),
  tool_name: z.string(),
  tool_version: z.string(),
  trace_id: z.string(),
  created_at: time,
  reason: z.enum(restReasons),
  since: time,
  until: time,
  input_request: z.string().nullable(),
});
export type RestedCall = z.infer<typeof restedCall>;

/** The entry that the beginning of a rest writes. */
export function restEntry({ jobId, head, rest }: { readonly jobId: string; readonly head: CallHead; readonly rest: Rest }): string {
  const call: RestedCall = {
    job_id: jobId,
    tenant_id: head.caller.tenantId,
    user_id: head.caller.userId,
    tool_name: head.tool,
    tool_version: head.version,
    trace_id: head.traceId,
    created_at: head.createdAt,
    reason: rest.reason,
    since: rest.since,
    until: rest.until,
    input_request: rest.inputRequest ?? null,
  };
  return JSON.stringify(call);
}
