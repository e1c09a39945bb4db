import { z } from 'zod';
import { pageCursor, pagination } from './past.js';

/** What webhooks tell of. */
export const webhookEventTypes = [
  'call.completed',
  'call.failed',
  'call.cancelled',
  'call.resting',
  'input.requested',
  'input.decided',
  'batch.completed',
  'budget.warning',
  'budget.exceeded',
  'schedule.missed',
  'webhook.disabled',
  'tool.failing',
  'domain.without_workers',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** The body of every delivery, as Standard Webhooks has it. */
export interface WebhookEvent {
  /** `webhook.test` for a delivery that somebody asked for by hand. */
  readonly type: WebhookEventType | 'webhook.test';
  /** When it happened: RFC 3339. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const url = z
  .string()
  .max(2_048)
  // The parser drops some of these.
  .regex(/^[^\s\p{Cc}]+$/u, 'must not have blanks or control characters')
  .refine((text) => URL.canParse(text), { error: 'must be a URL' });
const events = z
  .array(z.enum(webhookEventTypes))
  .min(1)
  .max(webhookEventTypes.length)
  .refine((types) => new Set(types).size === types.length, { error: 'must name each event once' });

/** Body of `POST /webhooks`. */
export const newWebhook = z.strictObject({
  url,
  events,
  /** CEL over `event`, such as `event.data.tool_name == "get_weather"`; `data` for short. Absent for all of those events. */
  filter: z.string().min(1).optional(),
});
export type NewWebhook = z.output<typeof newWebhook>;

/** Body of `PATCH /webhooks/{id}`: what is given is changed; null takes the filter away. */
export const webhookChange = z.strictObject({
  url: url.optional(),
  events: events.optional(),
  filter: z.string().min(1).nullable().optional(),
  /** True takes up again one that was disabled, with what waits. */
  enabled: z.boolean().optional(),
});
export type WebhookChange = z.output<typeof webhookChange>;

/** One webhook as it is shown. */
export const webhook = z.strictObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEventTypes)),
  filter: z.string().nullable(),
  /** Whether what it is told of an approval has a link that decides. */
  approves: z.boolean(),
  enabled: z.boolean(),
  /** Why it is disabled; null while it is not. */
  disabled_reason: z.string().nullable(),
  disabled_at: z.iso.datetime().nullable(),
  /** Since when every try has failed; null where the last one has not. */
  failing_since: z.iso.datetime().nullable(),
  /** Until then the secret before signs too; null where there is none. */
  previous_secret_until: z.iso.datetime().nullable(),
  /** The principal that made it. */
  created_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Webhook = z.infer<typeof webhook>;

/** Answer of `POST /webhooks` and of `POST /webhooks/{id}/rotate`: the only ones that have the secret, `whsec_…`. */
export const webhookWithSecret = webhook.extend({ secret: z.string() });
export type WebhookWithSecret = z.infer<typeof webhookWithSecret>;

/** Answer of `GET /webhooks`, the oldest first. */
export const webhookList = z.strictObject({ webhooks: z.array(webhook) });
export type WebhookList = z.infer<typeof webhookList>;

/** `waiting` for its first or another try. `failed`: no try is left, or its webhook was gone. */
const deliveryStates = ['waiting', 'succeeded', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** One event on its way to one webhook. */
export const webhookDelivery = z.strictObject({
  id: z.string(),
  webhook_id: z.string(),
  /** The header `webhook-id`: the same for every try. */
  event_id: z.string(),
  type: z.string(),
  /** Null for an event of no call. */
  job_id: z.string().nullable(),
  /** Where it goes instead, for a call that has named a `callback_url`. */
  url: z.string().nullable(),
  state: z.enum(deliveryStates),
  /** Tries so far. */
  attempts: z.number(),
  created_at: z.iso.datetime(),
  /** When it is tried next; null where it is not. */
  next_at: z.iso.datetime().nullable(),
  last_at: z.iso.datetime().nullable(),
  /** Of the last try; null where no answer came. */
  last_status: z.number().nullable(),
  /** What was wrong with the last try; null where nothing was. */
  last_error: z.string().nullable(),
  last_duration_ms: z.number().nullable(),
  /** The body. */
  event: z.looseObject({ type: z.string(), timestamp: z.string(), data: z.record(z.string(), z.unknown()) }),
});
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

/** Parameters of `GET /webhooks/{id}/deliveries`. */
export const webhookDeliveriesQuery = z.strictObject({
  state: z.enum(deliveryStates).optional(),
  cursor: pageCursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

/** Answer of `GET /webhooks/{id}/deliveries`, newest first. */
export const webhookDeliveryPage = z.strictObject({ deliveries: z.array(webhookDelivery), pagination });
export type WebhookDeliveryPage = z.infer<typeof webhookDeliveryPage>;
