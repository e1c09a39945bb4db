import type { Database } from '#lib/platform';
import type { Period } from './budget-period.js';

/** Which calls of a tenant: null does not narrow. */
interface SpendingCalls {
  readonly tenantId: string;
  readonly userId: string | null;
  readonly key: string | null;
  readonly tool: string | null;
}

/** What the history has of calls that were accepted in a period, and ran: millionths of a US dollar, and how many. Rejects when Postgres is away. */
export async function spentInHistory(
  database: Pick<Database, '$queryRaw'>,
  { tenantId, userId, key, tool }: SpendingCalls,
  { start, end }: Period,
): Promise<{ readonly micros: number; readonly calls: number }> {
  const [from, to] = [new Date(start), new Date(end)];
  const [sum] = await database.$queryRaw<{ micros: number; calls: number }[]>`
    SELECT coalesce(sum(cost_micros), 0)::float8 AS micros, count(*)::float8 AS calls FROM call_history
    WHERE tenant_id = ${tenantId} AND finished_at >= ${from} AND created_at >= ${from} AND created_at < ${to} AND attempts_made > 0
      AND (${userId}::text IS NULL OR user_id = ${userId}) AND (${key}::text IS NULL OR credential_id = ${key})
      AND (${tool}::text IS NULL OR tool_name = ${tool})`;
  return sum ?? { micros: 0, calls: 0 };
}
