import { createHash } from 'node:crypto';
import type { WebhookEvent, WebhookEventType } from '#lib/contracts';

/** Something that happened in a tenant, of which its webhooks may tell. */
export interface OutboxEvent {
  readonly tenantId: string;
  readonly type: WebhookEventType;
  /** Names it among those of its type in the tenant: one that is stored twice is told once. */
  readonly key: string;
  /** When it happened, epoch ms. */
  readonly at: number;
  /** Its call, if any: what happened to one is told in its order. */
  readonly jobId?: string | null;
  /** Who is told besides, whatever its webhooks ask for: an address of the origin of one of them. */
  readonly callback?: { readonly url: string; readonly webhook: string } | undefined;
  /** It is told so much later: what came before it is on its way. */
  readonly afterMs?: number;
  /** Facts: no parameters, results or secrets. More than 20 kB are shortened. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Paths of the gateway where there is more to read. */
  readonly links: Readonly<Record<string, string>>;
}

/**
 * A body has fewer bytes.
 * @limit a tenant: bytes of the body of a webhook; long fields are left out
 */
export const mostBodyBytes = 20_000;
/** What is left of a longer one: so many fields of so many bytes. */
const mostFields = 40;
const mostFieldBytes = 400;

/** The header `webhook-id`. It has no full stop, which separates what is signed. @param namespace of the Redis of its calls */
export function eventIdOf(namespace: string, { tenantId, type, key }: Pick<OutboxEvent, 'tenantId' | 'type' | 'key'>): string {
  return `evt_${createHash('sha256')
    .update(JSON.stringify([namespace, tenantId, type, key]))
    .digest('base64url')}`;
}

/** What a receiver gets, and filters look at. @param url where the gateway is reached */
export function webhookEvent(url: string, { type, at, data, links }: Pick<OutboxEvent, 'type' | 'at' | 'data' | 'links'>): WebhookEvent {
  const whole = Object.fromEntries(Object.entries(links).map(([name, path]) => [name, url + path]));
  return { type, timestamp: new Date(at).toISOString(), data: { ...data, links: whole } };
}

/** The bytes that are sent. */
export function bodyOf({ type, timestamp, data }: WebhookEvent): string {
  const whole = JSON.stringify({ type, timestamp, data });
  return Buffer.byteLength(whole) < mostBodyBytes
    ? whole
    : JSON.stringify({ type, timestamp, data: { ...shortened(data), truncated: true } });
}

function shortened(data: WebhookEvent['data']): Record<string, unknown> {
  const short = Object.entries(data).filter(
    ([name, value]) => Buffer.byteLength(JSON.stringify(value) ?? '') + Buffer.byteLength(name) <= mostFieldBytes,
  );
  return Object.fromEntries(short.slice(0, mostFields));
}
