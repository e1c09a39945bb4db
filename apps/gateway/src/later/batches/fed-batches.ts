import { Inject, Injectable } from '@nestjs/common';
import { Outbox } from '../../outbox/outbox.js';
import { Stores } from '../../stores.js';
import { batchEvent } from './batch-event.js';
import type { BatchCounts, BatchRow, LineRow } from './batch-row.js';
import type { BatchStores } from './batch-store.js';

/** Of a tenant, that gateways feed at the same time. */
const mostFed = 4;
/** A feeder that says nothing for so long has lost its batch. */
const leaseSeconds = 8;
/** Sealed bytes that are taken at once. */
const mostTakenBytes = 4 * 1024 * 1024;

/** What has become of a line. */
export interface LineChange {
  readonly n: number;
  readonly state: 'called' | 'resting' | 'completed' | 'failed' | 'cancelled';
  readonly job_id: string | null;
  readonly error: string | null;
}

/** A line that is to be called, or was. */
export type OpenLine = Pick<LineRow, 'n' | 'tool' | 'call' | 'state' | 'triedAt' | 'jobId'>;

type Fed = Pick<BatchRow, 'id'> & { readonly feeder: string };

/** Batches in the hands of their feeders, in Postgres. Rejects when it is away. What a feeder writes holds while it has its batch alone. */
@Injectable()
export class FedBatches {
  constructor(
    @Inject(Stores) private readonly stores: BatchStores,
    @Inject(Outbox) private readonly outbox: Pick<Outbox, 'add'>,
  ) {}

  /**
   * Takes a batch that nobody feeds, or whose feeder is not heard of. Null where there is none, or its tenant has enough that are fed. What the
   * feeder before has taken up and said nothing of is noted as tried when that was last heard of, as far as is known.
   * @param feeder a UUID of this claim's own
   */
  async claim(feeder: string): Promise<BatchRow | null> {
    // A gateway asks all the time. Where there is nothing, this question costs a third of the claim.
    const [asked] = await this.stores.database.$queryRaw<readonly { readonly some: boolean }[]>`
      SELECT EXISTS (
        SELECT FROM batch b WHERE b.namespace = ${this.stores.settings.INVOQ_NAMESPACE} AND b.state = 'running'
          AND (b.fed_until <= now() OR b.cancelled_at IS NOT NULL AND b.feeder IS NULL)
      ) AS some`;
    if (!asked?.some) return null;
    const [found] = await this.stores.database.$queryRaw<readonly { id: string }[]>`
      WITH free AS (
        SELECT b.id, b.taken, b.fed_until FROM batch b
        WHERE b.namespace = ${this.stores.settings.INVOQ_NAMESPACE} AND b.state = 'running' AND (b.fed_until <= now() OR b.cancelled_at IS NOT NULL AND b.feeder IS NULL)
          AND (b.cancelled_at IS NOT NULL OR ${mostFed} > (
            SELECT count(*) FROM batch o
            WHERE o.namespace = b.namespace AND o.tenant_id = b.tenant_id AND o.state = 'running' AND o.feeder IS NOT NULL AND o.fed_until > now()
          ))
        ORDER BY b.fed_until LIMIT 1 FOR UPDATE SKIP LOCKED
      ), tried AS (
        UPDATE batch_line l SET state = 'tried', tried_at = free.fed_until - make_interval(secs => ${leaseSeconds}) FROM free
        WHERE l.batch_id = free.id AND l.n < free.taken AND l.state = 'waiting'
      )
      UPDATE batch SET feeder = ${feeder}::uuid, fed_until = now() + make_interval(secs => ${leaseSeconds}) FROM free
      WHERE batch.id = free.id RETURNING batch.id`;
    return found ? this.stores.database.batch.findUnique({ where: { id: found.id } }) : null;
  }

  /** What has become of its lines, counted. */
  async countsOf({ id }: Pick<BatchRow, 'id'>): Promise<BatchCounts> {
    const states = await this.stores.database.batchLine.groupBy({ by: ['state'], where: { batchId: id }, _count: true });
    const count = (name: string): number => states.find(({ state }) => state === name)?._count ?? 0;
    return {
      active: count('called'),
      resting: count('resting'),
      completed: count('completed'),
      failed: count('failed'),
      cancelled: count('cancelled'),
    };
  }

  /** Lines that were taken and have not ended. */
  async openLines({ id }: Pick<BatchRow, 'id'>, states: readonly string[]): Promise<readonly OpenLine[]> {
    return this.stores.database.batchLine.findMany({ where: { batchId: id, state: { in: [...states] } }, orderBy: { n: 'asc' } });
  }

  /**
   * The lines that wait between two places, up to some bytes. They may be called from now on, which the batch says by the place up to which it is
   * taken. A range has an end, because Postgres otherwise reads all lines up to the last.
   */
  async take(
    { id, feeder }: Fed,
    { from, to, now }: { readonly from: number; readonly to: number; readonly now: Date },
  ): Promise<readonly OpenLine[]> {
    const taken = await this.stores.database.$queryRaw<readonly Omit<OpenLine, 'state' | 'triedAt'>[]>`
      WITH waiting AS (
        SELECT n, tool, call, job_id, octet_length(call) AS own, sum(octet_length(call)) OVER (ORDER BY n) AS upto
        FROM batch_line WHERE batch_id = ${id}::uuid AND n >= ${from} AND n < ${to} AND state = 'waiting'
      ), few AS (SELECT * FROM waiting WHERE upto - own < ${mostTakenBytes}),
      mine AS (
        UPDATE batch SET taken = greatest(taken, (SELECT max(n) + 1 FROM few)) WHERE id = ${id}::uuid AND feeder = ${feeder}::uuid AND EXISTS (SELECT 1 FROM few) RETURNING id
      )
      SELECT few.n, few.tool, few.call, few.job_id AS "jobId" FROM few, mine ORDER BY few.n`;
    return taken.map((line) => ({ ...line, state: 'tried', triedAt: now }));
  }

  /**
   * Notes what has become of lines, and that the feeder is there. It names their places beside the changes: by a join alone, Postgres reads
   * every line of the batch.
   * @returns whether the batch is to end, and why; null where another feeder has it
   */
  async write(
    { id, feeder }: Fed,
    changes: readonly LineChange[],
    counts: BatchCounts,
  ): Promise<{ readonly cancelled: boolean; readonly reason: string | null } | null> {
    const places = changes.map(({ n }) => n);
    const states = changes.map(({ state }) => state);
    const jobIds = changes.map(({ job_id: jobId }) => jobId);
    const errors = changes.map(({ error }) => error);
    const [mine] = await this.stores.database.$queryRaw<readonly { cancelled: boolean; reason: string | null }[]>`
      WITH mine AS (
        UPDATE batch SET active = ${counts.active}, resting = ${counts.resting}, completed = ${counts.completed}, failed = ${counts.failed},
          cancelled = ${counts.cancelled}, fed_until = now() + make_interval(secs => ${leaseSeconds})
        WHERE id = ${id}::uuid AND feeder = ${feeder}::uuid RETURNING id, cancelled_at, reason
      ), changed AS (
        UPDATE batch_line l SET state = c.state, job_id = coalesce(c.job_id, l.job_id), error = c.error,
          call = CASE WHEN c.state IN ('called', 'resting') THEN l.call END
        FROM mine, unnest(${places}::int[], ${states}::text[], ${jobIds}::text[], ${errors}::text[]) AS c (n, state, job_id, error)
        WHERE l.batch_id = ${id}::uuid AND l.n = ANY(${places}::int[]) AND l.n = c.n
      )
      SELECT cancelled_at IS NOT NULL AS cancelled, reason FROM mine`;
    return mine ?? null;
  }

  /** What has not been taken is cancelled. @returns how many they were */
  async cancelWaiting({ id, feeder }: Fed): Promise<number> {
    return this.stores.database.$executeRaw`
      WITH mine AS (SELECT id, taken FROM batch WHERE id = ${id}::uuid AND feeder = ${feeder}::uuid FOR SHARE)
      UPDATE batch_line l SET state = 'cancelled', call = NULL FROM mine WHERE l.batch_id = mine.id AND l.n >= mine.taken AND l.state = 'waiting'`;
  }

  /** Gives it back. @param pauseMs before the next feeder takes it */
  async release({ id, feeder }: Fed, pauseMs: number): Promise<void> {
    await this.stores.database.$executeRaw`
      UPDATE batch SET feeder = NULL, fed_until = now() + make_interval(secs => ${pauseMs / 1_000})
      WHERE id = ${id}::uuid AND feeder = ${feeder}::uuid`;
  }

  /**
   * Every call has ended, and the batch ends here and nowhere else: what is to be told of that is written in this transaction.
   * @returns null where a call is left, or another feeder has it
   */
  async finish({ id, feeder }: Fed, state: 'completed' | 'cancelled', now: Date): Promise<BatchRow | null> {
    return this.stores.database.$transaction(async (transaction) => {
      const open = { batchId: id, state: { in: ['waiting', 'tried', 'called', 'resting'] } };
      if (await transaction.batchLine.findFirst({ where: open, select: { n: true } })) return null;
      const data = { state, finishedAt: now, feeder: null };
      const { count } = await transaction.batch.updateMany({ where: { id, feeder, state: 'running' }, data });
      // Failed calls that it did not try again, since it was cancelled or they were refused, are found by the next one.
      if (count > 0)
        await transaction.$executeRaw`
          UPDATE failed_call f SET replayed_in = NULL FROM batch_line l
          WHERE f.replayed_in = ${id}::uuid AND l.batch_id = f.replayed_in AND l.line_id = '"' || f.job_id || '"'
            AND l.job_id IS NULL AND l.state <> 'completed'`;
      const row = count === 0 ? null : await transaction.batch.findUnique({ where: { id } });
      // In the transaction of its end.
      if (row) await this.outbox.add(transaction, [batchEvent(row)]);
      return row;
    });
  }
}
