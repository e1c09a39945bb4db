import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '#lib/contracts';
import { modelRows, type Database } from '#lib/platform';
import type { WholeCall } from '#lib/transport';
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

/**
 * Calls that rest for long, in Postgres instead of Redis. One leaves Redis once its row is there, and its row goes once it is back: whoever
 * dies between leaves a row that says so, and the record in Redis tells which of the two holds.
 */
@Injectable()
export class CallArchive {
  constructor(
    private readonly stores: Stores,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  /** Takes a call out of Redis. @returns whether it has left */
  async move(jobId: string): Promise<boolean> {
    const { database, store } = this.stores;
    const kept: WholeCall[] = [];
    const isMoved = await store.moved.move(jobId, async (whole) => {
      const isKept = await this.#keep(whole);
      if (isKept) kept.push(whole);
      return isKept;
    });
    // The row of another process is its own affair.
    const [own] = kept;
    if (!own) return false;
    const lookAt = new Date(Math.max(this.clock.now(), own.until - leadMs));
    const where = { jobId, copy: own.copy, state: 'moving' };
    if (isMoved) await database.movedCall.updateMany({ where, data: { state: 'moved', lookAt } });
    else await database.movedCall.deleteMany({ where });
    return isMoved;
  }

  /** Puts a call back that somebody asks for. Throws NETWORK_ERROR for one that has moved while Postgres is away. @returns whether there was one */
  async bringBack(jobId: string, isMoved: boolean): Promise<boolean> {
    const { database, log } = this.stores;
    const { INVOQ_NAMESPACE: namespace } = this.stores.settings;
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
    const { database } = this.stores;
    const { INVOQ_NAMESPACE: namespace } = this.stores.settings;
    return modelRows<MovedRow>(database.$queryRaw`
      SELECT * FROM moved_call WHERE namespace = ${namespace} AND look_at <= ${new Date(this.clock.now())} ORDER BY look_at LIMIT ${most}`);
  }

  /** Brings one back whose rest ends soon, or which somebody who died had under way. */
  async settle(row: MovedRow): Promise<void> {
    const { database, log } = this.stores;
    if (row.state === 'moved' || row.lookAt.getTime() > this.clock.now() - unknownAfterMs) return this.#bring(row);
    // Neither is known whether it has left Redis, nor whether it has ended there since: it must not run twice.
    log.warn({ event: 'moved-call-lost', job_id: row.jobId }, 'a call that was under way between the stores for too long is given up');
    await database.movedCall.deleteMany({ where: { jobId: row.jobId, copy: row.copy } });
  }

  /** Of calls that are deleted. */
  async forget(jobIds: readonly string[]): Promise<void> {
    await this.stores.database.$executeRaw`DELETE FROM moved_call WHERE job_id = ANY(${jobIds})`;
  }

  async #keep({ jobId, tenantId, copy, until, data }: WholeCall): Promise<boolean> {
    const { database } = this.stores;
    const { INVOQ_NAMESPACE: namespace } = this.stores.settings;
    if (Buffer.byteLength(data) > mostBytes) return false;
    const row = {
      jobId,
      namespace,
      tenantId,
      copy,
      until: new Date(until),
      data,
      state: 'moving',
      lookAt: new Date(this.clock.now() + underWayMs),
    };
    const { count } = await database.movedCall.createMany({ data: [row], skipDuplicates: true });
    return count > 0;
  }

  async #bring({ jobId, copy, until, data }: MovedRow): Promise<void> {
    const { database, store } = this.stores;
    const where = { jobId, copy };
    // From here on nobody takes the row for one whose call is out of Redis.
    await database.movedCall.updateMany({ where, data: { state: 'coming', lookAt: new Date(this.clock.now() + underWayMs) } });
    await store.moved.bringBack({ jobId, copy, until: until.getTime(), data });
    await database.movedCall.deleteMany({ where });
  }
}
