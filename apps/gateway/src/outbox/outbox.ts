import { Injectable } from '@nestjs/common';
import { onceASecond, type Prisma, type SqlRunner } from '#lib/platform';
import { passes } from './event-filters.js';
import { bodyOf, eventIdOf, webhookEvent, type OutboxEvent } from './outbox-event.js';
import { Stores } from '../stores.js';

interface Subscription {
  readonly id: string;
  readonly tenantId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly filter: string | null;
}

/**
 * Events on their way to the webhooks of their tenants. They are stored in the transaction of what they tell of, so that nothing is told that
 * did not happen, and nothing that happened is forgotten. Whoever sends them finds them there.
 */
@Injectable()
export class Outbox {
  readonly #report = onceASecond((fault: { readonly id: string; readonly error: unknown }) =>
    this.stores.log.warn(
      { event: 'webhook-filter-fault', webhook_id: fault.id, err: fault.error },
      'the filter of a webhook could not be worked out for an event: it is sent',
    ),
  );

  constructor(private readonly stores: Stores) {}

  /** Stores a delivery of each event for each webhook that asks for it; one that is stored already stays as it is. */
  async add(transaction: Prisma.TransactionClient, events: readonly OutboxEvent[]): Promise<void> {
    const tenants = events.map(({ tenantId }) => tenantId);
    await this.store(transaction, await this.deliveries(transaction, { tenants, events: async () => events }));
  }

  /** The deliveries of events for the webhooks that ask for them now. Events are made where a tenant has one: most have none. */
  async deliveries(
    database: Pick<SqlRunner, '$queryRaw'>,
    { tenants: ofEach, events }: { readonly tenants: readonly string[]; readonly events: () => Promise<readonly OutboxEvent[]> },
  ): Promise<readonly Prisma.WebhookDeliveryCreateManyInput[]> {
    const tenants = [...new Set(ofEach)];
    if (tenants.length === 0) return [];
    const subscriptions = await database.$queryRaw<Subscription[]>`
      SELECT id, tenant_id AS "tenantId", url, events, filter FROM webhook
      WHERE namespace = ${this.stores.settings.INVOQ_NAMESPACE} AND tenant_id = ANY(${tenants}) AND enabled`;
    if (subscriptions.length === 0) return [];
    const ofTenant = Map.groupBy(subscriptions, ({ tenantId }) => tenantId);
    return (await events()).flatMap((event) => this.#rows(event, ofTenant.get(event.tenantId) ?? []));
  }

  /** Stores deliveries, and has their webhooks looked at. */
  async store(transaction: Prisma.TransactionClient, rows: readonly Prisma.WebhookDeliveryCreateManyInput[]): Promise<void> {
    if (rows.length === 0) return;
    const ids = [...new Set(rows.map(({ webhookId }) => webhookId))];
    await transaction.webhookDelivery.createMany({ data: [...rows], skipDuplicates: true });
    // In one order, so that no two wait for each other. Whoever has sent what was due and rests the webhook waits for this, or this for it.
    await transaction.$queryRaw`SELECT 1 FROM webhook WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
    const now = new Date(this.stores.clock.now());
    await transaction.$executeRaw`
      UPDATE webhook SET look_at = ${now} WHERE id = ANY(${ids}::uuid[]) AND (look_at IS NULL OR look_at > ${now})`;
  }

  #rows(event: OutboxEvent, subscriptions: readonly Subscription[]): readonly Prisma.WebhookDeliveryCreateManyInput[] {
    const told = webhookEvent(this.stores.hooks.url, event);
    const asking = subscriptions.filter(
      ({ id, events, filter }) => events.includes(event.type) && passes(filter, told, (error) => this.#report({ id, error })),
    );
    const called = subscriptions.filter((subscription) => isOfOrigin(subscription, event.callback));
    if (asking.length + called.length === 0) return [];
    const { INVOQ_NAMESPACE: namespace } = this.stores.settings;
    const { now } = this.stores.clock;
    const { tenantId, type, jobId = null, at, afterMs = 0, key } = event;
    const createdAt = new Date(now());
    const row = { tenantId, type, jobId, at: new Date(at), createdAt, dueAt: new Date(now() + afterMs), body: bodyOf(told) };
    const url = event.callback?.url ?? null;
    return [
      ...asking.map(({ id }) => ({ ...row, webhookId: id, eventId: eventIdOf(namespace, event) })),
      // Another message for another address.
      ...called.map(({ id }) => ({ ...row, webhookId: id, url, eventId: eventIdOf(namespace, { ...event, key: `${key} ${url}` }) })),
    ];
  }
}

/** Whether a webhook stands for the address that a call has named, also now: it may have moved since. */
function isOfOrigin({ id, url }: Subscription, callback: OutboxEvent['callback']): boolean {
  return callback?.webhook === id && new URL(callback.url).origin === new URL(url).origin;
}
