import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import {
  invalidField,
  hasScope,
  principal,
  Refusal,
  type Caller,
  type DeliveryState,
  type NewWebhook,
  type WebhookChange,
} from '#lib/contracts';
import { urlViolation } from '#lib/platform';
import { stored } from '../http/stored.js';
import { filterFault } from '../outbox/event-filters.js';
import { bodyOf } from '../outbox/outbox-event.js';
import { WebhookTenants } from '../outbox/webhook-tenants.js';
import { type DeliveryPlace, DeliveryStore } from './delivery-store.js';
import { newWebhookSecret } from './signature.js';
import { Tries } from './tries.js';
import { verdictOn } from './verdict.js';
import { isWebhookId, secretPurpose, type DeliveryRow, type WebhookRow } from './webhook-row.js';
import { type ChangedWebhook, WebhookStore } from './webhook-store.js';
import { Stores } from '../stores.js';
import { SharedClock } from '#lib/transport';
import { rulesOf } from './rules-of.js';

const unreachable = 'The webhooks cannot be reached at the moment';
/** For so long the secret before signs beside a new one. */
const bothSecretsMs = 24 * 3_600_000;

/** A webhook with its secret in clear, which is told once. */
export interface WithSecret {
  readonly row: WebhookRow;
  readonly secret: string;
}

/** The webhooks of tenants. Whoever has the scope sees and changes those of the whole tenant. */
@Injectable()
export class Webhooks {
  constructor(
    private readonly stores: Stores,
    private readonly store: WebhookStore,
    private readonly deliveryStore: DeliveryStore,
    private readonly tenants: WebhookTenants,
    private readonly tries: Tries,
    private readonly clock: SharedClock,
  ) {}

  /** Throws INVALID_PARAMS that names the field, QUOTA_EXCEEDED. */
  async create(caller: Caller, { url, events, filter }: NewWebhook): Promise<WithSecret> {
    const { sealer } = this.stores;
    this.#check({ url, filter });
    const { tenantId } = caller;
    const [id, at, secret] = [randomUUID(), new Date(this.clock.now()), newWebhookSecret()];
    const sealed = sealer.sealText(secret, secretPurpose({ id, tenantId }));
    const by = principal(caller);
    const row = {
      id,
      tenantId,
      url,
      events,
      filter: filter ?? null,
      secret: sealed,
      approves: hasScope(caller, 'approvals'),
      createdBy: by,
      createdAt: at,
      updatedAt: at,
    };
    const made = await stored(unreachable, () => this.store.create(by, row));
    await this.tenants.changed();
    return { row: made, secret };
  }

  async list({ tenantId }: Caller): Promise<readonly WebhookRow[]> {
    return stored(unreachable, () => this.store.ofTenant(tenantId));
  }

  /** Throws RESOURCE_NOT_FOUND, the same for none and for one of another tenant. */
  async find({ tenantId }: Caller, id: string): Promise<WebhookRow> {
    const row = isWebhookId(id) ? await stored(unreachable, () => this.store.find(tenantId, id)) : null;
    if (row) return row;
    throw missing();
  }

  /** Throws as `create` and `find` do. */
  async change(caller: Caller, id: string, { url, events, filter, enabled }: WebhookChange): Promise<WebhookRow> {
    this.#check({ url, filter });
    return this.#change(caller, id, (row) => ({
      ...(url !== undefined && { url, approves: hasScope(caller, 'approvals') }),
      ...(events !== undefined && { events }),
      ...(filter !== undefined && { filter }),
      ...(url !== undefined && url !== row.url && afresh),
      ...(enabled === true && !row.enabled && { enabled, disabledAt: null, disabledReason: null, ...afresh }),
      ...(enabled === false && row.enabled && { enabled, disabledAt: this.#at(), disabledReason: 'It was disabled by hand' }),
      ...(enabled !== undefined && { lookAt: enabled ? this.#at() : null }),
    }));
  }

  /** Gives it another secret; the one before signs too for a day. */
  async rotate(caller: Caller, id: string): Promise<WithSecret> {
    const { sealer } = this.stores;
    const secret = newWebhookSecret();
    const row = await this.#change(caller, id, (before) => ({
      secret: sealer.sealText(secret, secretPurpose(before)),
      previousSecret: before.secret,
      previousUntil: new Date(this.clock.now() + bothSecretsMs),
    }));
    return { row, secret };
  }

  async remove(caller: Caller, id: string): Promise<WebhookRow> {
    const row = await this.find(caller, id);
    await stored(unreachable, () => this.store.remove(principal(caller), row));
    await this.tenants.changed();
    return row;
  }

  /** Sends a `webhook.test` now, once, also to one that is disabled. @returns the delivery, with what came of it */
  async test(caller: Caller, id: string): Promise<DeliveryRow> {
    const webhook = await this.find(caller, id);
    const [eventId, at] = [`evt_test_${randomUUID().replaceAll('-', '')}`, this.#at()];
    const type = 'webhook.test';
    const body = bodyOf({ type, timestamp: at.toISOString(), data: { webhook_id: id, asked_by: principal(caller) } });
    const made = await this.tries.make(webhook, { eventId, body, url: null });
    const { answer, durationMs } = made;
    const verdict = verdictOn(answer, { tries: 1, failingSince: null, now: this.clock.now(), chance: 0 });
    const row = { webhookId: id, tenantId: caller.tenantId, eventId, type, at, body, createdAt: at, attempts: 1, tries: 1 };
    const came = { lastAt: new Date(made.at), lastStatus: answer.status, lastError: answer.error, lastMs: durationMs };
    const state = verdict.state === 'succeeded' ? 'succeeded' : 'failed';
    return stored(unreachable, () => this.deliveryStore.storeTried(principal(caller), { ...row, ...came, state }));
  }

  async deliveries(
    row: WebhookRow,
    selection: { readonly state: DeliveryState | null; readonly after: DeliveryPlace | null; readonly most: number },
  ): Promise<readonly DeliveryRow[]> {
    return stored(unreachable, () => this.deliveryStore.page(row, selection));
  }

  /** Has a delivery sent again, under the same id. Throws RESOURCE_NOT_FOUND, CONFLICT while its webhook is disabled. */
  async retry(caller: Caller, id: string, deliveryId: string): Promise<DeliveryRow> {
    const webhook = await this.find(caller, id);
    if (!webhook.enabled) throw new Refusal('CONFLICT', 'The webhook is disabled; enable it first: PATCH {"enabled":true}');
    const row = isWebhookId(deliveryId) ? await stored(unreachable, () => this.deliveryStore.find(webhook, deliveryId)) : null;
    const again = row && (await stored(unreachable, () => this.deliveryStore.again(principal(caller), row, this.#at())));
    if (again) return again;
    throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such delivery; see GET /webhooks/{id}/deliveries');
  }

  async #change(caller: Caller, id: string, data: (row: WebhookRow) => ChangedWebhook): Promise<WebhookRow> {
    const row = await this.find(caller, id);
    const updated = (before: WebhookRow): ChangedWebhook => ({ ...data(before), updatedAt: this.#at() });
    const changed = await stored(unreachable, () => this.store.change(principal(caller), row, updated));
    if (!changed) throw missing();
    await this.tenants.changed();
    return changed;
  }

  #at(): Date {
    return new Date(this.clock.now());
  }

  #check({ url, filter }: { readonly url?: string | undefined; readonly filter?: string | null | undefined }): void {
    const fault = url === undefined ? null : urlViolation(new URL(url), rulesOf(this.stores.settings));
    if (fault) throw invalidField('url', `cannot be sent to: ${fault}`);
    if (filter === undefined || filter === null) return;
    const wrong = filterFault(filter);
    if (wrong !== null) throw invalidField('filter', wrong);
  }
}

/** Nothing is known of how it fares. */
const afresh = { failingSince: null, heldUntil: null };

function missing(): Refusal {
  return new Refusal('RESOURCE_NOT_FOUND', 'There is no such webhook; see GET /webhooks');
}
