import type { OutboxEvent } from '../../outbox/outbox-event.js';
import { batchLinks, shownBatch, type BatchRow } from './batch-row.js';

/** What webhooks are told when a batch has ended, completed or cancelled. */
export function batchEvent(row: BatchRow): OutboxEvent {
  const { self, results } = batchLinks(row.id);
  return {
    tenantId: row.tenantId,
    type: 'batch.completed',
    key: row.id,
    at: row.finishedAt?.getTime() ?? row.createdAt.getTime(),
    data: { ...shownBatch(row), tenant_id: row.tenantId, owner: row.owner },
    links: { self, results },
  };
}
