// What the gateway answers of webhooks, by its wire contract. A later gateway may add fields.
import type { Pagination } from './history-wire.js';

export type WebhookEventType =
  | 'call.completed'
  | 'call.failed'
  | 'call.cancelled'
  | 'call.resting'
  | 'input.requested'
  | 'input.decided'
  | 'batch.completed'
  | 'budget.warning'
  | 'budget.exceeded'
  | 'schedule.missed'
  | 'webhook.disabled'
  | 'tool.failing'
  | 'domain.without_workers';

export interface NewWebhook {
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  /** CEL over `event`. */
  readonly filter?: string;
}

/** What is left out stays; null takes the filter away. */
export interface WebhookChange {
  readonly url?: string;
  readonly events?: readonly WebhookEventType[];
  readonly filter?: string | null;
  /** True takes up again one that was disabled. */
  readonly enabled?: boolean;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly filter: string | null;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly disabled_at: string | null;
  /** Since when every try has failed. */
  readonly failing_since: string | null;
  /** Whether what it is told of an approval has a link that decides. */
  readonly approves: boolean;
  readonly previous_secret_until: string | null;
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** With `whsec_…`, which is told this once. */
export interface WebhookWithSecret extends Webhook {
  readonly secret: string;
}

/** One event on its way to one webhook. */
export interface WebhookDelivery {
  readonly id: string;
  readonly webhook_id: string;
  /** The header `webhook-id`. */
  readonly event_id: string;
  readonly type: string;
  readonly job_id: string | null;
  /** Where it goes instead, for a call with a `callback_url`. */
  readonly url: string | null;
  readonly state: 'waiting' | 'succeeded' | 'failed';
  readonly attempts: number;
  readonly created_at: string;
  readonly next_at: string | null;
  readonly last_at: string | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly last_duration_ms: number | null;
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Readonly<Record<string, unknown>> };
}

export interface WebhookDeliveryPage {
  readonly deliveries: readonly WebhookDelivery[];
  readonly pagination: Pagination;
}
