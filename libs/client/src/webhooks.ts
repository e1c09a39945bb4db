import { requestParts, type RequestOptions } from './call-request.js';
import type { Requests } from './requests.js';
import type { NewWebhook, Webhook, WebhookChange, WebhookDelivery, WebhookDeliveryPage, WebhookWithSecret } from './webhook-wire.js';

interface DeliveryListOptions extends RequestOptions {
  readonly state?: WebhookDelivery['state'] | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
  /** 1–100, default 50. */
  readonly limit?: number | undefined;
}

/** Addresses that are told what becomes of the calls of the tenant. The key needs the scope `webhooks`. */
export class Webhooks {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** The answer has the secret, this once. */
  async create(webhook: NewWebhook, options: RequestOptions = {}): Promise<WebhookWithSecret> {
    return this.#requests.transport.json<WebhookWithSecret>('webhooks', { method: 'POST', body: webhook, ...requestParts(options) });
  }

  /** All of the tenant, the oldest first. */
  async list(options: RequestOptions = {}): Promise<readonly Webhook[]> {
    return (await this.#requests.get<{ readonly webhooks: readonly Webhook[] }>('webhooks', options)).webhooks;
  }

  async get(id: string, options: RequestOptions = {}): Promise<Webhook> {
    return this.#requests.get<Webhook>(pathOf(id), options);
  }

  async change(id: string, change: WebhookChange, options: RequestOptions = {}): Promise<Webhook> {
    return this.#requests.transport.json<Webhook>(pathOf(id), { method: 'PATCH', body: change, ...requestParts(options) });
  }

  async delete(id: string, options: RequestOptions = {}): Promise<Webhook> {
    return this.#requests.transport.json<Webhook>(pathOf(id), { method: 'DELETE', ...requestParts(options) });
  }

  /** Gives it another secret, told this once; the one before signs too for 24 hours. */
  async rotate(id: string, options: RequestOptions = {}): Promise<WebhookWithSecret> {
    return this.#requests.transport.json<WebhookWithSecret>(`${pathOf(id)}/rotate`, { method: 'POST', ...requestParts(options) });
  }

  /** Sends a test now. @returns the delivery, with what came of it */
  async test(id: string, options: RequestOptions = {}): Promise<WebhookDelivery> {
    return this.#requests.transport.json<WebhookDelivery>(`${pathOf(id)}/test`, { method: 'POST', ...requestParts(options) });
  }

  /** A page of what was sent, the newest first. */
  async deliveries(id: string, { state, cursor, limit, ...options }: DeliveryListOptions = {}): Promise<WebhookDeliveryPage> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ state, cursor, limit })) if (value !== undefined) query.set(name, String(value));
    return this.#requests.get<WebhookDeliveryPage>(`${pathOf(id)}/deliveries?${query.toString()}`, options);
  }

  /** Has a delivery sent again, under the same `webhook-id`. */
  async retry(id: string, deliveryId: string, options: RequestOptions = {}): Promise<WebhookDelivery> {
    const path = `${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}/retry`;
    return this.#requests.transport.json<WebhookDelivery>(path, { method: 'POST', ...requestParts(options) });
  }
}

function pathOf(id: string): string {
  return `webhooks/${encodeURIComponent(id)}`;
}
