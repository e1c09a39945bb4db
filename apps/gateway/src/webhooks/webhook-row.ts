import { z } from 'zod';
import { webhookDelivery, webhookEventTypes, type Webhook, type WebhookDelivery } from '#lib/contracts';
import type { Database } from '#lib/platform';
import type { Sealer } from '#lib/transport';

export type WebhookRow = NonNullable<Awaited<ReturnType<Database['webhook']['findUnique']>>>;
export type DeliveryRow = NonNullable<Awaited<ReturnType<Database['webhookDelivery']['findUnique']>>>;

const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text can be the id of a webhook, or of a delivery. */
export const isWebhookId = (text: string): boolean => uuidShape.test(text);

/** What its sealed secrets are bound to. */
export function secretPurpose({ id, tenantId }: Pick<WebhookRow, 'id' | 'tenantId'>): string {
  return `webhook of ${JSON.stringify([tenantId, id])}`;
}

/** What signs at a time: the secret, and for a while the one before. Throws where no key opens them. */
export function secretsOf(sealer: Pick<Sealer, 'openText'>, row: WebhookRow, now: number): readonly string[] {
  const { secret, previousSecret, previousUntil } = row;
  const isBoth = previousSecret !== null && previousUntil !== null && previousUntil.getTime() > now;
  return [secret, ...(isBoth ? [previousSecret] : [])].map((sealed) => sealer.openText(sealed, secretPurpose(row)));
}

const types = z.array(z.enum(webhookEventTypes));
const { state, event } = webhookDelivery.shape;

export function shownWebhook(row: WebhookRow, now: number): Webhook {
  const { previousUntil } = row;
  return {
    id: row.id,
    url: row.url,
    events: types.parse(row.events),
    filter: row.filter,
    approves: row.approves,
    enabled: row.enabled,
    disabled_reason: row.disabledReason,
    disabled_at: row.disabledAt?.toISOString() ?? null,
    failing_since: row.failingSince?.toISOString() ?? null,
    previous_secret_until: previousUntil && previousUntil.getTime() > now ? previousUntil.toISOString() : null,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

export function shownDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    webhook_id: row.webhookId,
    event_id: row.eventId,
    type: row.type,
    job_id: row.jobId,
    url: row.url,
    state: state.parse(row.state),
    attempts: row.attempts,
    created_at: row.createdAt.toISOString(),
    next_at: row.dueAt?.toISOString() ?? null,
    last_at: row.lastAt?.toISOString() ?? null,
    last_status: row.lastStatus,
    last_error: row.lastError,
    last_duration_ms: row.lastMs,
    event: event.parse(JSON.parse(row.body)),
  };
}
