import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '#lib/contracts';
import { modelRows, type Database, type Logger } from '#lib/platform';
import type { InvocationStore, WholeCall } from '#lib/transport';
import { Stores } from '../../stores.js';
import { SharedClock } from '#lib/transport';

type MovedRow = NonNullable<Awaited<ReturnType<Database['movedCall']['findUnique']>>>;

/** A call comes back so long before its rest ends. */
export const leadMs = 120_000;
/** Whoever moves a call, or brings it back, has done so by then, or died. */
const underWayMs = 30_000;
/** The record of an ended call lives longer than this: a call that was under way so long ago may have ended since. */
const unknownAfterMs = 20 * 3_600_000;
/** Larger ones stay in Redis. */
const mostBytes = 4 * 1_048_576;

interface CallArchiveParts {
  readonly database: Pick<Database, 'movedCall' | '$queryRaw' | '$executeRaw'>;
  /** Of the calls in Redis. */
  readonly namespace: string;
  readonly store: Pick<InvocationStore, 'moved'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
}

/**
 * Calls that rest for long, in Postgres instead of Redis. One leaves Redis once its row is there, and its row goes once it is back: whoever
 * dies between leaves a row that says so, and the record in Redis tells which of the two holds.
 */
@Injectable()
export class CallArchive {
  readonly #parts: CallArchiveParts;

  constructor(
    @Inject(Stores) {
      database,
      store,
      log,
      settings,
    }: Pick<CallArchiveParts, 'database' | 'store' | 'log'> & { readonly settings: Pick<Stores['settings'], 'INVOQ_NAMESPACE'> },
    @Inject(SharedClock) { now }: Pick<SharedClock, 'now'>,
  ) {
    this.#parts = { database, store, log, now, namespace: settings.INVOQ_NAMESPACE };
  }

  /** Takes a call out of Redis. @returns whether it has left */
  async move(jobId: string): Promise<boolean> {
    const { database, store, now } = this.#parts;
    const kept: WholeCall[] = [];
    const isMoved = await store.moved.move(jobId, async (whole) => {
      const isKept = await this.#keep(whole);
      if (isKept) kept.push(whole);
      return isKept;
    });
    // The row of another process is its own affair.
    const [own] = kept;
    if (!own) return false;
    const lookAt = new Date(Math.max(now(), own.until - leadMs));
    const where = { jobId, copy: own.copy, state: 'moving' };
    if (isMoved) await database.movedCall.updateMany({ where, data: { state: 'moved', lookAt } });
    else await database.movedCall.deleteMany({ where });
    return isMoved;
  }

  /** Puts a call back that somebody asks for. Throws NETWORK_ERROR for one that has moved while Postgres is away. @returns whether there was one */
  async bringBack(jobId: string, isMoved: boolean): Promise<boolean> {
    const { database, namespace, log } = this.#parts;
    try {
      const [row = null] = await modelRows<MovedRow>(
        database.$queryRaw`SELECT * FROM moved_call WHERE job_id = ${jobId} AND namespace = ${namespace}`,
      );
      if (row) await this.#bring(row);
      return row !== null;
    } catch (cause) {
      if (!isMoved) {
        log.warn({ event: 'moved-calls-fault', job_id: jobId, err: cause }, 'it is not known whether a call without a record has moved');
        return false;
      }
      const refusal = new Refusal('NETWORK_ERROR', 'The call rests in the database, which cannot be reached at the moment', {
        retry_after_ms: 1_000,
      });
      refusal.cause = cause;
      throw refusal;
    }
  }

  /** Those that it is time to look at. Rejects when Postgres is away. */
  async due(most: number): Promise<readonly MovedRow[]> {
    const { database, namespace, now } = this.#parts;
    return modelRows<MovedRow>(database.$queryRaw`
      SELECT * FROM moved_call WHERE namespace = ${namespace} AND look_at <= ${new Date(now())} ORDER BY look_at LIMIT ${most}`);
  }

  /** Brings one back whose rest ends soon, or which somebody who died had under way. */
  async settle(row: MovedRow): Promise<void> {
    const { database, log, now } = this.#parts;
    if (row.state === 'moved' || row.lookAt.getTime() > now() - unknownAfterMs) return this.#bring(row);
    // Neither is known whether it has left Redis, nor whether it has ended there since: it must not run twice.
    log.warn({ event: 'moved-call-lost', job_id: row.jobId }, 'a call that was under way between the stores for too long is given up');
    await database.movedCall.deleteMany({ where: { jobId: row.jobId, copy: row.copy } });
  }

  /** Of calls that are deleted. */
  async forget(jobIds: readonly string[]): Promise<void> {
    await this.#parts.database.$executeRaw`DELETE FROM moved_call WHERE job_id = ANY(${jobIds})`;
  }

  async #keep({ jobId, tenantId, copy, until, data }: WholeCall): Promise<boolean> {
    const { database, namespace, now } = this.#parts;
    if (Buffer.byteLength(data) > mostBytes) return false;
    const row = { jobId, namespace, tenantId, copy, until: new Date(until), data, state: 'moving', lookAt: new Date(now() + underWayMs) };
    const { count } = await database.movedCall.createMany({ data: [row], skipDuplicates: true });
    return count > 0;
  }

  async #bring({ jobId, copy, until, data }: MovedRow): Promise<void> {
    const { database, store, now } = this.#parts;
    const where = { jobId, copy };
    // From here on nobody takes the row for one whose call is out of Redis.
    await database.movedCall.updateMany({ where, data: { state: 'coming', lookAt: new Date(now() + underWayMs) } });
    await store.moved.bringBack({ jobId, copy, until: until.getTime(), data });
    await database.movedCall.deleteMany({ where });
  }
}
