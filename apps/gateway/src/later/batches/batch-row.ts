import { batch, type Batch } from '#lib/contracts';
import type { Database } from '#lib/platform';

export type BatchRow = NonNullable<Awaited<ReturnType<Database['batch']['findUnique']>>>;
export type LineRow = NonNullable<Awaited<ReturnType<Database['batchLine']['findUnique']>>>;

/** What has become of the calls of a batch, but for those that wait. */
export type BatchCounts = Pick<BatchRow, 'active' | 'resting' | 'completed' | 'failed' | 'cancelled'>;

/** What the sealed call of a line is bound to. */
export function callPurpose(batchId: string, n: number): string {
  return `call ${n} of batch ${batchId}`;
}

/** The same for the error of one that was refused. */
export function errorPurpose(batchId: string, n: number): string {
  return `error of call ${n} of batch ${batchId}`;
}

export function shownBatch(row: BatchRow): Batch {
  const { total, active, resting, completed, failed, cancelled } = row;
  return {
    batch_id: row.id,
    state: batch.shape.state.parse(row.state),
    total,
    waiting: Math.max(0, total - active - resting - completed - failed - cancelled),
    active,
    resting,
    completed,
    failed,
    cancelled,
    reason: row.reason,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

export function batchLinks(id: string) {
  const self = `/batches/${id}`;
  return { self, results: `${self}/results`, events: `${self}/events`, cancel: self };
}
