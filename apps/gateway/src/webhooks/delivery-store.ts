import { Injectable } from '@nestjs/common';
import type { DeliveryState } from '#lib/contracts';
import { changeAs, modelRows, type Prisma } from '#lib/platform';
import { Outbox } from '../outbox/outbox.js';
import type { OutboxEvent } from '../outbox/outbox-event.js';
import type { DeliveryRow, WebhookRow } from './webhook-row.js';
import { Stores } from '../stores.js';

/** For so long one gateway alone sends the deliveries of a webhook that it has claimed; more than it works on them. */
const claimMs = 60_000;
const dayMs = 86_400_000;
/** For so long deliveries are kept that have arrived, and the others. */
const keptMs = { succeeded: 3 * dayMs, others: 14 * dayMs } as const;
const mostForgotten = 5_000;

/** Whether the last try of a webhook arrived or not. */
export type WebhookKind = 'answering' | 'failing';

/** A place in a list of deliveries. */
export interface DeliveryPlace {
  readonly at: number;
  readonly id: string;
}

/** What came of a try. */
export interface TryResult {
  readonly state: DeliveryState;
  readonly dueAt: Date | null;
  readonly at: Date;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** What a webhook is from now on. */
export interface WebhookAfter {
  readonly failingSince: Date | null;
  readonly heldUntil: Date | null;
  /** Why it is disabled, and what its tenant is told of that; null where it is not. */
  readonly disabled: { readonly reason: string; readonly at: Date; readonly event: OutboxEvent } | null;
}

/** Deliveries in Postgres. Rejects when it is away. */
@Injectable()
export class DeliveryStore {
  constructor(
    private readonly stores: Stores,
    private readonly outbox: Outbox,
  ) {}

  /** Newest first, those after a place. */
  async page(
    { id }: Pick<WebhookRow, 'id'>,
    { state, after, most }: { readonly state: DeliveryState | null; readonly after: DeliveryPlace | null; readonly most: number },
  ): Promise<readonly DeliveryRow[]> {
    const at = after && new Date(after.at);
    return this.stores.database.webhookDelivery.findMany({
      where: {
        webhookId: id,
        ...(state !== null && { state }),
        ...(after && at && { OR: [{ createdAt: { lt: at } }, { createdAt: at, id: { lt: after.id } }] }),
      },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: most,
    });
  }

  async find({ id }: Pick<WebhookRow, 'id'>, deliveryId: string): Promise<DeliveryRow | null> {
    return this.stores.database.webhookDelivery.findUnique({ where: { id: deliveryId, webhookId: id } });
  }

  /** Stores one that somebody has asked for by hand and that has been tried already. */
  async storeTried(by: string, row: Prisma.WebhookDeliveryUncheckedCreateInput): Promise<DeliveryRow> {
    return changeAs(this.stores.database, by, async (transaction) => transaction.webhookDelivery.create({ data: row }));
  }

  /** Has one tried again, now, from the beginning of the schedule. Null where it is gone. */
  async again(by: string, { id, webhookId }: DeliveryRow, now: Date): Promise<DeliveryRow | null> {
    return changeAs(this.stores.database, by, async (transaction) => {
      await transaction.$queryRaw`SELECT 1 FROM webhook WHERE id = ${webhookId}::uuid FOR NO KEY UPDATE`;
      const { count } = await transaction.webhookDelivery.updateMany({ where: { id }, data: { state: 'waiting', tries: 0, dueAt: now } });
      await transaction.webhook.updateMany({ where: { id: webhookId }, data: { lookAt: now } });
      return count > 0 ? transaction.webhookDelivery.findUnique({ where: { id } }) : null;
    });
  }

  /** Of which kinds of webhooks there are some to claim. A gateway asks all the time: where there are none, this costs a quarter of two claims. */
  async claimable(now: number): Promise<readonly WebhookKind[]> {
    const at = new Date(now);
    const found = await this.stores.database.$queryRaw<readonly { readonly failing: boolean }[]>`
      SELECT DISTINCT failing_since IS NOT NULL AS failing FROM webhook
      WHERE namespace = ${this.stores.settings.INVOQ_NAMESPACE} AND look_at <= ${at} AND enabled AND (claimed_until IS NULL OR claimed_until <= ${at})`;
    return found.map(({ failing }) => (failing ? 'failing' : 'answering'));
  }

  /** Webhooks with deliveries that may be due, those that wait longest first: nobody else sends theirs for a minute. */
  async claim(now: number, { most, kind }: { readonly most: number; readonly kind: WebhookKind }): Promise<readonly WebhookRow[]> {
    if (most <= 0) return [];
    const { database } = this.stores;
    const { INVOQ_NAMESPACE: namespace } = this.stores.settings;
    const [at, until] = [new Date(now), new Date(now + claimMs)];
    return modelRows<WebhookRow>(
      database.$queryRaw`
      UPDATE webhook SET claimed_until = ${until} WHERE id IN (
        SELECT id FROM webhook
        WHERE namespace = ${namespace} AND look_at <= ${at} AND enabled AND (failing_since IS NOT NULL) = ${kind === 'failing'}
          AND (claimed_until IS NULL OR claimed_until <= ${at})
        ORDER BY look_at LIMIT ${most} FOR UPDATE SKIP LOCKED
      ) RETURNING *`,
      { events: [] },
    );
  }

  /** Those of a webhook that are due, the longest due first; of each call only the first that waits. */
  async due({ id }: Pick<WebhookRow, 'id'>, now: number, most: number): Promise<readonly DeliveryRow[]> {
    return modelRows<DeliveryRow>(this.stores.database.$queryRaw`
      SELECT d.* FROM webhook_delivery d
      WHERE d.webhook_id = ${id}::uuid AND d.due_at <= ${new Date(now)} AND NOT EXISTS (
        SELECT 1 FROM webhook_delivery e
        WHERE e.webhook_id = d.webhook_id AND e.job_id = d.job_id AND e.due_at IS NOT NULL
          AND (e.at, e.seq) < (d.at, d.seq) AND e.url IS NOT DISTINCT FROM d.url
      ) ORDER BY d.due_at, d.at, d.seq LIMIT ${most}`);
  }

  /**
   * Notes what came of a try, and what its webhook is then; null where it stays as it is. A delivery that was noted by another meanwhile
   * stays as that one left it.
   */
  async settle(row: DeliveryRow, { at, status, error, durationMs, ...rest }: TryResult, after: WebhookAfter | null): Promise<void> {
    const { database } = this.stores;
    const { id, webhookId, attempts, tries } = row;
    const data = {
      ...rest,
      lastAt: at,
      lastStatus: status,
      lastError: error,
      lastMs: durationMs,
      attempts: attempts + 1,
      tries: tries + 1,
    };
    if (!after) return void (await database.webhookDelivery.updateMany({ where: { id, attempts }, data }));
    const { failingSince, heldUntil, disabled } = after;
    await changeAs(database, '', async (transaction) => {
      await transaction.webhookDelivery.updateMany({ where: { id, attempts }, data });
      await transaction.webhook.updateMany({ where: { id: webhookId }, data: { failingSince, heldUntil } });
      if (!disabled) return;
      const { count } = await transaction.webhook.updateMany({
        where: { id: webhookId, enabled: true },
        data: { enabled: false, disabledAt: disabled.at, disabledReason: disabled.reason, lookAt: null, updatedAt: disabled.at },
      });
      if (count > 0) await this.outbox.add(transaction, [disabled.event]);
    });
  }

  /** Gives a webhook back that was claimed, and says when somebody is to look at it again. Nothing happens where another has claimed it since. */
  async rest({ id, claimedUntil }: Pick<WebhookRow, 'id' | 'claimedUntil'>): Promise<void> {
    await this.stores.database.$transaction(async (transaction) => {
      // Who stores a delivery waits for this, or was first: then the next statement sees what was stored.
      await transaction.$queryRaw`SELECT 1 FROM webhook WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
      const [first] = await transaction.$queryRaw<{ readonly due: Date | null }[]>`
        SELECT min(d.due_at) AS due FROM webhook_delivery d
        WHERE d.webhook_id = ${id}::uuid AND d.due_at IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM webhook_delivery e
          WHERE e.webhook_id = d.webhook_id AND e.job_id = d.job_id AND e.due_at > d.due_at
            AND (e.at, e.seq) < (d.at, d.seq) AND e.url IS NOT DISTINCT FROM d.url
        )`;
      const due = first?.due ?? null;
      await transaction.$executeRaw`
        UPDATE webhook SET claimed_until = NULL,
          look_at = CASE WHEN enabled AND ${due}::timestamptz IS NOT NULL THEN greatest(held_until, ${due}::timestamptz) END
        WHERE id = ${id}::uuid AND claimed_until = ${claimedUntil}`;
    });
  }

  /** Forgets those that have arrived and are older than three days, and the others that are older than two weeks, some at a time. */
  async forget(now: number): Promise<void> {
    const [arrived, others] = [new Date(now - keptMs.succeeded), new Date(now - keptMs.others)];
    const { database } = this.stores;
    const { INVOQ_NAMESPACE: namespace } = this.stores.settings;
    await database.$executeRaw`
      DELETE FROM webhook_delivery WHERE id IN (
        SELECT d.id FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id
        WHERE w.namespace = ${namespace} AND d.created_at < ${arrived} AND (d.state = 'succeeded' OR d.created_at < ${others})
        ORDER BY d.created_at LIMIT ${mostForgotten}
      )`;
  }
}
