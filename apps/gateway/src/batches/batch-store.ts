import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '#lib/contracts';
import { changeAs, type Database, type Prisma } from '#lib/platform';
import type { BatchCounts, BatchRow, LineRow } from './batch-row.js';
import { Stores } from '../stores.js';
import { Outbox } from '../outbox/outbox.js';
import { batchEvent } from './batch-event.js';

/**
 * Of a tenant, that have not ended, and the bytes that they may have together.
 * @limit a tenant: batches that have not ended; QUOTA_EXCEEDED
 */
const mostBatches = 100;
/** @limit a tenant: bytes of its batches that have not ended; QUOTA_EXCEEDED */
const mostBytes = 512 * 1024 * 1024;
/** Of a tenant, that gateways feed at the same time. */
const mostFed = 4;
/** A feeder that says nothing for so long has lost its batch. */
const leaseSeconds = 8;
/** Sealed bytes that are taken at once. */
const mostTakenBytes = 4 * 1024 * 1024;

/** A line as it comes in: sealed, or wrong. */
export interface NewLine {
  readonly n: number;
  readonly line_id: string | null;
  readonly tool: string;
  readonly call: string | null;
  readonly state: 'waiting' | 'failed';
  readonly error: string | null;
}

/** What has become of a line. */
export interface LineChange {
  readonly n: number;
  readonly state: 'called' | 'resting' | 'completed' | 'failed' | 'cancelled';
  readonly job_id: string | null;
  readonly error: string | null;
}

/** A line that is to be called, or was. */
export type OpenLine = Pick<LineRow, 'n' | 'tool' | 'call' | 'state' | 'triedAt' | 'jobId'>;

export interface BatchPlace {
  readonly at: number;
  readonly id: string;
}

type OnEnded = (transaction: Prisma.TransactionClient, row: BatchRow) => Promise<void>;
type Owner = Pick<BatchRow, 'tenantId' | 'owner'>;
type Fed = Pick<BatchRow, 'id'> & { readonly feeder: string };

/** Batches and their lines in Postgres. Rejects when it is away. What a feeder writes holds while it has its batch alone. */
@Injectable()
export class BatchStore {
  readonly #database: Database;
  readonly #namespace: string;
  readonly #onEnded: OnEnded;

  constructor(
    @Inject(Stores) { database, settings }: { readonly database: Database; readonly settings: Pick<Stores['settings'], 'INVOQ_NAMESPACE'> },
    @Inject(Outbox) outbox: Pick<Outbox, 'add'>,
  ) {
    this.#database = database;
    this.#namespace = settings.INVOQ_NAMESPACE;
    // In the transaction of its end.
    this.#onEnded = async (transaction, row) => outbox.add(transaction, [batchEvent(row)]);
  }

  async byId(id: string): Promise<BatchRow | null> {
    return this.#database.batch.findFirst({ where: { id, namespace: this.#namespace } });
  }

  async byIds(ids: readonly string[]): Promise<readonly BatchRow[]> {
    return this.#database.batch.findMany({ where: { id: { in: [...ids] }, namespace: this.#namespace } });
  }

  async byKey({ tenantId, owner }: Owner, idempotencyKey: string): Promise<BatchRow | null> {
    return this.#database.batch.findFirst({ where: { namespace: this.#namespace, tenantId, owner, idempotencyKey } });
  }

  /** Newest first. */
  async page({ tenantId, owner }: Owner, state: string | undefined, page: { readonly after: BatchPlace | null; readonly most: number }) {
    const at = page.after && new Date(page.after.at);
    return this.#database.batch.findMany({
      where: {
        namespace: this.#namespace,
        tenantId,
        owner,
        ...(state !== undefined && { state }),
        ...(page.after && at && { OR: [{ createdAt: { lt: at } }, { createdAt: at, id: { lt: page.after.id } }] }),
      },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: page.most,
    });
  }

  /**
   * A batch whose calls come in now. One of the same key that is still coming in is given up: whoever sends it has come again.
   * @returns null where one of this key was there in time. Throws QUOTA_EXCEEDED.
   */
  async begin(
    row: Pick<BatchRow, 'id' | 'tenantId' | 'owner' | 'idempotencyKey' | 'createdAt'> & { readonly maker: object },
  ): Promise<BatchRow | null> {
    const { tenantId, owner, idempotencyKey, createdAt } = row;
    const namespace = this.#namespace;
    const made = await this.#database.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`batches of ${tenantId}`}))`;
      if (idempotencyKey !== null) {
        await transaction.batch.deleteMany({ where: { namespace, tenantId, owner, idempotencyKey, state: 'accepting' } });
        const other = await transaction.batch.count({ where: { namespace, tenantId, owner, idempotencyKey } });
        if (other > 0) return null;
      }
      const where = { namespace, tenantId, state: { in: ['accepting', 'running'] } };
      const { _count, _sum } = await transaction.batch.aggregate({ where, _count: true, _sum: { bytes: true } });
      if (_count >= mostBatches || (_sum.bytes ?? 0) >= mostBytes) return 'full';
      return transaction.batch.create({ data: { ...row, namespace, fedUntil: createdAt } });
    });
    if (made === 'full') throw full();
    return made;
  }

  /** @returns false where the batch was given up */
  async addLines(id: string, lines: readonly NewLine[]): Promise<boolean> {
    if (lines.length === 0) return true;
    const columns = [
      lines.map(({ n }) => n),
      lines.map(({ line_id: lineId }) => lineId),
      lines.map(({ tool }) => tool),
      lines.map(({ call }) => call),
      lines.map(({ state }) => state),
      lines.map(({ error }) => error),
    ] as const;
    const added = await this.#database.$executeRaw`
      WITH mine AS (SELECT id FROM batch WHERE id = ${id}::uuid AND state = 'accepting' FOR KEY SHARE)
      INSERT INTO batch_line (batch_id, n, line_id, tool, call, state, error)
      SELECT mine.id, l.* FROM mine,
        unnest(${columns[0]}::int[], ${columns[1]}::text[], ${columns[2]}::text[], ${columns[3]}::text[], ${columns[4]}::text[], ${columns[5]}::text[]) AS l`;
    return added === lines.length;
  }

  /** All lines are there: from now on they are called. @returns null where the batch was given up */
  async start(
    by: string,
    id: string,
    data: Pick<BatchRow, 'total' | 'bytes' | 'fingerprint' | 'ratePerS' | 'failed'> & { readonly maker: object },
  ): Promise<BatchRow | null> {
    return changeAs(this.#database, by, async (transaction) => {
      const { count } = await transaction.batch.updateMany({ where: { id, state: 'accepting' }, data: { ...data, state: 'running' } });
      return count === 0 ? null : transaction.batch.findUnique({ where: { id } });
    });
  }

  /** Forgets one that is still coming in. */
  async giveUp(id: string): Promise<void> {
    await this.#database.batch.deleteMany({ where: { id, state: 'accepting' } });
  }

  /** It is to end now. @returns whether it was this that ended it */
  async cancel(by: string | null, id: string, reason: string): Promise<boolean> {
    const where = { id, state: 'running', cancelledAt: null };
    const data = { cancelledAt: new Date(), reason };
    if (by === null) return (await this.#database.batch.updateMany({ where, data })).count > 0;
    return changeAs(this.#database, by, async (transaction) => (await transaction.batch.updateMany({ where, data })).count > 0);
  }

  /**
   * Takes a batch that nobody feeds, or whose feeder is not heard of. Null where there is none, or its tenant has enough that are fed. What the
   * feeder before has taken up and said nothing of is noted as tried when that was last heard of, as far as is known.
   * @param feeder a UUID of this claim's own
   */
  async claim(feeder: string): Promise<BatchRow | null> {
    const [found] = await this.#database.$queryRaw<readonly { id: string }[]>`
      WITH free AS (
        SELECT b.id, b.taken, b.fed_until FROM batch b
        WHERE b.namespace = ${this.#namespace} AND b.state = 'running' AND (b.fed_until <= now() OR b.cancelled_at IS NOT NULL AND b.feeder IS NULL)
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
    return found ? this.byId(found.id) : null;
  }

  /** What has become of its lines, counted. */
  async countsOf({ id }: Pick<BatchRow, 'id'>): Promise<BatchCounts> {
    const states = await this.#database.batchLine.groupBy({ by: ['state'], where: { batchId: id }, _count: true });
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
    return this.#database.batchLine.findMany({ where: { batchId: id, state: { in: [...states] } }, orderBy: { n: 'asc' } });
  }

  /**
   * The lines that wait between two places, up to some bytes. They may be called from now on, which the batch says by the place up to which it is
   * taken. A range has an end, because Postgres otherwise reads all lines up to the last.
   */
  async take(
    { id, feeder }: Fed,
    { from, to, now }: { readonly from: number; readonly to: number; readonly now: Date },
  ): Promise<readonly OpenLine[]> {
    const taken = await this.#database.$queryRaw<readonly Omit<OpenLine, 'state' | 'triedAt'>[]>`
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
    const [mine] = await this.#database.$queryRaw<readonly { cancelled: boolean; reason: string | null }[]>`
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
    return this.#database.$executeRaw`
      WITH mine AS (SELECT id, taken FROM batch WHERE id = ${id}::uuid AND feeder = ${feeder}::uuid FOR SHARE)
      UPDATE batch_line l SET state = 'cancelled', call = NULL FROM mine WHERE l.batch_id = mine.id AND l.n >= mine.taken AND l.state = 'waiting'`;
  }

  /** Gives it back. @param pauseMs before the next feeder takes it */
  async release({ id, feeder }: Fed, pauseMs: number): Promise<void> {
    await this.#database.$executeRaw`
      UPDATE batch SET feeder = NULL, fed_until = now() + make_interval(secs => ${pauseMs / 1_000})
      WHERE id = ${id}::uuid AND feeder = ${feeder}::uuid`;
  }

  /**
   * Every call has ended, and the batch ends here and nowhere else: what is to be told of that is written in this transaction.
   * @returns null where a call is left, or another feeder has it
   */
  async finish({ id, feeder }: Fed, state: 'completed' | 'cancelled', now: Date): Promise<BatchRow | null> {
    return this.#database.$transaction(async (transaction) => {
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
      if (row) await this.#onEnded(transaction, row);
      return row;
    });
  }

  /** Lines after a place, in order. */
  async lines({ id }: Pick<BatchRow, 'id'>, after: number, most: number): Promise<readonly LineRow[]> {
    return this.#database.batchLine.findMany({ where: { batchId: id, n: { gt: after } }, orderBy: { n: 'asc' }, take: most });
  }

  /** Forgets batches that ended before a time, and those that came in for an hour and are not there yet. */
  async forget(finishedBefore: Date, begunBefore: Date, most: number): Promise<number> {
    return this.#database.$executeRaw`
      DELETE FROM batch WHERE id IN (
        SELECT id FROM batch
        WHERE namespace = ${this.#namespace} AND (finished_at < ${finishedBefore} OR (state = 'accepting' AND created_at < ${begunBefore}))
        LIMIT ${most})`;
  }
}

function full(): Refusal {
  const message =
    `Your tenant has ${mostBatches} batches that have not ended, or ${mostBytes} bytes in them, the most that it may have; ` +
    'wait until one has ended, or cancel one';
  return new Refusal('QUOTA_EXCEEDED', message, { extra: { limit: mostBatches } });
}
