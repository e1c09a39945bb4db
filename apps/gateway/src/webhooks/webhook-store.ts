import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '#lib/contracts';
import { changeAs, modelRows, type Database, type Prisma } from '#lib/platform';
import type { Sealer } from '#lib/transport';
import { secretPurpose, type WebhookRow } from './webhook-row.js';
import { Stores } from '../stores.js';

/** @limit a tenant: webhooks; QUOTA_EXCEEDED */
const mostWebhooks = 50;

export type NewWebhookRow = Omit<Prisma.WebhookCreateManyInput, 'namespace'>;
export type ChangedWebhook = Prisma.WebhookUpdateManyMutationInput;

type Tables = Pick<Database, 'webhook' | '$transaction' | '$queryRaw'>;

/** The webhooks of tenants in Postgres. Rejects when it is away. */
@Injectable()
export class WebhookStore {
  constructor(
    // Of the calls in its Redis: webhooks of others are none of its own.
    @Inject(Stores) private readonly stores: { readonly database: Tables; readonly settings: Pick<Stores['settings'], 'INVOQ_NAMESPACE'> },
  ) {}

  /** The oldest first. */
  async ofTenant(tenantId: string): Promise<readonly WebhookRow[]> {
    return this.stores.database.webhook.findMany({
      where: { tenantId, namespace: this.stores.settings.INVOQ_NAMESPACE },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
  }

  async find(tenantId: string, id: string): Promise<WebhookRow | null> {
    return this.stores.database.webhook.findUnique({ where: { id, tenantId, namespace: this.stores.settings.INVOQ_NAMESPACE } });
  }

  /** Throws QUOTA_EXCEEDED. */
  async create(by: string, row: NewWebhookRow): Promise<WebhookRow> {
    const { tenantId } = row;
    const made = await changeAs(this.stores.database, by, async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`webhooks of ${tenantId}`}))`;
      if ((await transaction.webhook.count({ where: { tenantId } })) >= mostWebhooks) return null;
      return transaction.webhook.create({ data: { ...row, namespace: this.stores.settings.INVOQ_NAMESPACE } });
    });
    if (!made) throw full();
    return made;
  }

  /** Null where it is gone. @param data from the row as it is while nobody else changes it */
  async change(
    by: string,
    { id, tenantId }: Pick<WebhookRow, 'id' | 'tenantId'>,
    data: (row: WebhookRow) => ChangedWebhook,
  ): Promise<WebhookRow | null> {
    return changeAs(this.stores.database, by, async (transaction) => {
      const [locked] = await transaction.$queryRaw<object[]>`SELECT 1 FROM webhook WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
      const row =
        locked && (await transaction.webhook.findUnique({ where: { id, tenantId, namespace: this.stores.settings.INVOQ_NAMESPACE } }));
      return row ? transaction.webhook.update({ where: { id }, data: data(row) }) : null;
    });
  }

  /** With its deliveries. */
  async remove(by: string, { id }: Pick<WebhookRow, 'id'>): Promise<void> {
    await changeAs(this.stores.database, by, async (transaction) => transaction.webhook.deleteMany({ where: { id } }));
  }

  /** Seals all secrets with the first sealing key, so that an older one can be removed; those that no key opens are left. @returns how many it sealed again */
  async reseal(sealer: Pick<Sealer, 'resealText'>): Promise<number> {
    const rows = await modelRows<WebhookRow>(
      this.stores.database.$queryRaw`SELECT * FROM webhook WHERE namespace = ${this.stores.settings.INVOQ_NAMESPACE}`,
      {
        events: [],
      },
    );
    let resealed = 0;
    for (const row of rows) {
      const { id, secret, previousSecret } = row;
      const data = {
        secret: resealedText(sealer, secret, row),
        previousSecret: previousSecret && resealedText(sealer, previousSecret, row),
      };
      if (data.secret === secret && data.previousSecret === previousSecret) continue;
      // Unless it was given another meanwhile.
      resealed += (await this.stores.database.webhook.updateMany({ where: { id, secret }, data })).count;
    }
    return resealed;
  }
}

function full(): Refusal {
  const message = `Your tenant has ${mostWebhooks} webhooks, the most that it may have; delete one first`;
  return new Refusal('QUOTA_EXCEEDED', message, { extra: { limit: mostWebhooks } });
}

function resealedText(sealer: Pick<Sealer, 'resealText'>, sealed: string, row: WebhookRow): string {
  try {
    return sealer.resealText(sealed, secretPurpose(row));
  } catch {
    return sealed;
  }
}
