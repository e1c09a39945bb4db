import { Injectable } from '@nestjs/common';
import { principal, type Caller } from '#lib/contracts';
import { joinSql, sql, type Sql } from '#lib/platform';
import type { HistoryCall, CallHead } from '#lib/transport';
import { mostReplays } from '../calls/replays.js';
import { Stores } from '../stores.js';

/**
 * Of a tenant. What fails beyond them is in the history alone.
 * @limit storage: failed calls of a tenant that can be replayed; the history alone has it
 */
const mostKept = 50_000;
/** For so long it is known how many a tenant has. */
const countedMs = 60_000;

/** Which of them: those of the ids, or those that meet each filter that is given. */
export interface FailedSelection {
  readonly jobIds?: readonly string[] | undefined;
  readonly tool?: string | undefined;
  /** Canonical or the tool's own. */
  readonly code?: string | undefined;
  /** When it ended, ISO 8601: at or after, and before. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A failed call with what it takes to call it again. */
export interface FailedCall {
  readonly jobId: string;
  readonly toolName: string;
  readonly toolVersion: string;
  readonly sessionId: string | null;
  readonly replays: number;
  readonly input: CallHead['input'];
}

type StoredFailedCall = Omit<FailedCall, 'input'> & { readonly input: string };

/** The parameters of calls that failed for good, sealed in Postgres, to be tried again. Rejects when a store is away. */
@Injectable()
export class FailedCalls {
  readonly #counted = new Map<string, { readonly at: number; count: number }>();

  constructor(private readonly stores: Stores) {}

  /** Keeps those whose records still have their parameters, each once. */
  async keep(calls: readonly HistoryCall[]): Promise<void> {
    for (const tenantId of new Set(calls.map(({ tenant_id }) => tenant_id))) await this.#countAgain(tenantId);
    const rows = await Promise.all(calls.map(async (call) => this.#rowOf(call)));
    const data = rows.filter((row) => row !== null);
    if (data.length > 0) await this.stores.database.failedCall.createMany({ data, skipDuplicates: true });
  }

  /** How many may be tried again. */
  async count(caller: Caller, selection: FailedSelection): Promise<number> {
    const [row] = await this.stores.database.$queryRaw<readonly { count: number }[]>`
      SELECT count(*)::int AS count FROM failed_call c WHERE ${this.#where(caller, selection)}`;
    return row?.count ?? 0;
  }

  /** The oldest of them, which are this batch's from then on: no other finds them by a filter. */
  async claim(
    caller: Caller,
    selection: FailedSelection,
    batch: { readonly id: string; readonly most: number },
  ): Promise<readonly FailedCall[]> {
    const rows = await this.stores.database.$queryRaw<readonly StoredFailedCall[]>`
      UPDATE failed_call f SET replayed_in = ${batch.id}::uuid WHERE f.job_id IN (
        SELECT c.job_id FROM failed_call c WHERE ${this.#where(caller, selection)}
        ORDER BY c.finished_at, c.job_id LIMIT ${batch.most} FOR UPDATE SKIP LOCKED
      ) RETURNING job_id AS "jobId", tool_name AS "toolName", tool_version AS "toolVersion", session_id AS "sessionId", replays, input`;
    const who = principal(caller);
    return rows.map((row) => ({ ...row, input: JSON.parse(this.stores.sealer.openText(row.input, purposeOf(row.jobId, who))) }));
  }

  /** Gives those of a batch back that was not made. */
  async release(batchId: string): Promise<void> {
    await this.stores.database.failedCall.updateMany({ where: { replayedIn: batchId }, data: { replayedIn: null } });
  }

  /** Forgets those that ended before a time. */
  async forget(before: Date): Promise<void> {
    const { database } = this.stores;
    const { INVOQ_NAMESPACE: namespace } = this.stores.settings;
    await database.$executeRaw`DELETE FROM failed_call WHERE namespace = ${namespace} AND finished_at < ${before}`;
  }

  /** Those of the caller. By the ids of their jobs one finds those too that were tried again, or often enough. */
  #where(caller: Caller, { jobIds, tool, code, from, to }: FailedSelection): Sql {
    const conditions = [
      sql`c.namespace = ${this.stores.settings.INVOQ_NAMESPACE} AND c.tenant_id = ${caller.tenantId} AND c.caller = ${principal(caller)}`,
      ...(jobIds ? [sql`c.job_id = ANY (${[...jobIds]})`] : []),
      // One that acts for a user tries again what it called itself.
      ...(caller.actor ? [sql`c.credential_id = ${caller.credentialId}`] : []),
      ...(tool === undefined ? [] : [sql`c.tool_name = ${tool}`]),
      ...(code === undefined ? [] : [sql`(c.code = ${code} OR c.native_code = ${code})`]),
      ...(from === undefined ? [] : [sql`c.finished_at >= ${new Date(from)}`]),
      ...(to === undefined ? [] : [sql`c.finished_at < ${new Date(to)}`]),
      ...(jobIds
        ? []
        : [sql`c.replays < ${mostReplays} AND (c.replayed_in IS NULL OR NOT EXISTS (SELECT 1 FROM batch b WHERE b.id = c.replayed_in))`]),
    ];
    return joinSql(conditions, ' AND ');
  }

  /** Null where there is nothing to call it with, or no room. */
  async #rowOf({ job_id: jobId, tenant_id: tenantId, ...call }: HistoryCall) {
    const counted = this.#counted.get(tenantId);
    if (counted && ++counted.count > mostKept) return null;
    const record = await this.stores.store.read(jobId);
    if (!record || record.head.inputGone || record.head.body) return null;
    const { input, sessionId, replayOf, replays = replayOf === undefined ? 0 : 1 } = record.head;
    return {
      jobId,
      namespace: this.stores.settings.INVOQ_NAMESPACE,
      tenantId,
      caller: call.caller,
      credentialId: call.credential_id,
      toolName: call.tool_name,
      toolVersion: call.tool_version,
      code: call.code,
      nativeCode: call.native_code,
      finishedAt: new Date(call.finished_at),
      sessionId,
      replays,
      input: this.stores.sealer.sealText(JSON.stringify(input), purposeOf(jobId, principal(record.head.caller))),
    };
  }

  async #countAgain(tenantId: string): Promise<void> {
    const known = this.#counted.get(tenantId);
    if (known && known.at > performance.now() - countedMs) return;
    const counted = { at: performance.now(), count: await this.#countOf(tenantId) };
    if (this.#counted.size > 10_000) this.#counted.clear();
    this.#counted.set(tenantId, counted);
  }

  async #countOf(tenantId: string): Promise<number> {
    const [row] = await this.stores.database.$queryRaw<readonly { count: number }[]>`
      SELECT count(*)::int AS count FROM (SELECT 1 FROM failed_call WHERE tenant_id = ${tenantId} LIMIT ${mostKept}) AS kept`;
    return row?.count ?? 0;
  }
}

function purposeOf(jobId: string, who: string): string {
  return `failed call ${jobId} of ${who}`;
}
