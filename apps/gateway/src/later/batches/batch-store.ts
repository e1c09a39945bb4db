import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '#lib/contracts';
import { changeAs, type Database } from '#lib/platform';
import type { BatchRow, LineRow } from './batch-row.js';
import { Stores } from '../../stores.js';

/**
 * Of a tenant, that have not ended, and the bytes that they may have together.
 * @limit a tenant: batches that have not ended; QUOTA_EXCEEDED
 */
const mostBatches = 100;
/** @limit a tenant: bytes of its batches that have not ended; QUOTA_EXCEEDED */
const mostBytes = 512 * 1024 * 1024;
/** A line as it comes in: sealed, or wrong. */
export interface NewLine {
  readonly n: number;
  readonly line_id: string | null;
  readonly tool: string;
  readonly call: string | null;
  readonly state: 'waiting' | 'failed';
  readonly error: string | null;
}

export interface BatchPlace {
  readonly at: number;
  readonly id: string;
}

type Owner = Pick<BatchRow, 'tenantId' | 'owner'>;
export interface BatchStores {
  readonly database: Database;
  readonly settings: Pick<Stores['settings'], 'INVOQ_NAMESPACE'>;
}

/** Batches and their lines in Postgres. Rejects when it is away. */
@Injectable()
export class BatchStore {
  constructor(@Inject(Stores) private readonly stores: BatchStores) {}

  async byId(id: string): Promise<BatchRow | null> {
    return this.stores.database.batch.findFirst({ where: { id, namespace: this.stores.settings.INVOQ_NAMESPACE } });
  }

  async byIds(ids: readonly string[]): Promise<readonly BatchRow[]> {
    return this.stores.database.batch.findMany({ where: { id: { in: [...ids] }, namespace: this.stores.settings.INVOQ_NAMESPACE } });
  }

  async byKey({ tenantId, owner }: Owner, idempotencyKey: string): Promise<BatchRow | null> {
    return this.stores.database.batch.findFirst({
      where: { namespace: this.stores.settings.INVOQ_NAMESPACE, tenantId, owner, idempotencyKey },
    });
  }

  /** Newest first. */
  async page({ tenantId, owner }: Owner, state: string | undefined, page: { readonly after: BatchPlace | null; readonly most: number }) {
    const at = page.after && new Date(page.after.at);
    return this.stores.database.batch.findMany({
      where: {
        namespace: this.stores.settings.INVOQ_NAMESPACE,
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
    const namespace = this.stores.settings.INVOQ_NAMESPACE;
    const made = await this.stores.database.$transaction(async (transaction) => {
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
    const added = await this.stores.database.$executeRaw`
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
    return changeAs(this.stores.database, by, async (transaction) => {
      const { count } = await transaction.batch.updateMany({ where: { id, state: 'accepting' }, data: { ...data, state: 'running' } });
      return count === 0 ? null : transaction.batch.findUnique({ where: { id } });
    });
  }

  /** Forgets one that is still coming in. */
  async giveUp(id: string): Promise<void> {
    await this.stores.database.batch.deleteMany({ where: { id, state: 'accepting' } });
  }

  /** It is to end now. @returns whether it was this that ended it */
  async cancel(by: string | null, id: string, reason: string): Promise<boolean> {
    const where = { id, state: 'running', cancelledAt: null };
    const data = { cancelledAt: new Date(), reason };
    if (by === null) return (await this.stores.database.batch.updateMany({ where, data })).count > 0;
    return changeAs(this.stores.database, by, async (transaction) => (await transaction.batch.updateMany({ where, data })).count > 0);
  }

  /** Lines after a place, in order. */
  async lines({ id }: Pick<BatchRow, 'id'>, after: number, most: number): Promise<readonly LineRow[]> {
    return this.stores.database.batchLine.findMany({ where: { batchId: id, n: { gt: after } }, orderBy: { n: 'asc' }, take: most });
  }

  /** Forgets batches that ended before a time, and those that came in for an hour and are not there yet. */
  async forget(finishedBefore: Date, begunBefore: Date, most: number): Promise<number> {
    return this.stores.database.$executeRaw`
      DELETE FROM batch WHERE id IN (
        SELECT id FROM batch
        WHERE namespace = ${this.stores.settings.INVOQ_NAMESPACE} AND (finished_at < ${finishedBefore} OR (state = 'accepting' AND created_at < ${begunBefore}))
        LIMIT ${most})`;
  }
}

function full(): Refusal {
  const message =
    `Your tenant has ${mostBatches} batches that have not ended, or ${mostBytes} bytes in them, the most that it may have; ` +
    'wait until one has ended, or cancel one';
  return new Refusal('QUOTA_EXCEEDED', message, { extra: { limit: mostBatches } });
}
