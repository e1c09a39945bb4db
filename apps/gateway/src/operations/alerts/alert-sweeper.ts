import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { onceASecond, Rounds, type Logger } from '#lib/platform';
import { Outbox } from '../../outbox/outbox.js';
import type { OutboxEvent } from '../../outbox/outbox-event.js';
import { WebhookTenants } from '../../outbox/webhook-tenants.js';
import { failingEvent, unservedEvent, type ToolFailures } from './alert-events.js';
import { Stores } from '../../stores.js';
import { SharedClock } from '#lib/transport';
import { QueueStates } from '../../records/queue-states.js';

const everyMs = 20_000;
/** Calls are counted that ended within this time. */
const spanMs = 5 * 60_000;
/** A tool fails that has so many calls, and this share of failed ones. */
const leastCalls = 10;
const leastShare = 0.2;
/** How long a domain may be without a worker. */
const unservedMs = 60_000;
/** A domain that had none for so long is not missed any more. */
const forgottenMs = 24 * 3_600_000;

/** Tells webhooks of what people should look at: a tool that fails, a domain without a worker. Every gateway has one; an event that two of them tell is one. */
@Injectable()
export class AlertSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #rounds: Rounds;
  /** Since when this process knows that a domain of the product has no worker. */
  readonly #since = new Map<string, number>();

  constructor(
    @Inject(Stores)
    private readonly stores: Pick<Stores, 'database' | 'store' | 'keys' | 'settings'> & {
      readonly servedDirectory: Pick<Stores['servedDirectory'], 'seen'>;
      readonly log: Pick<Logger, 'warn'>;
    },
    private readonly outbox: Outbox,
    private readonly webhooks: WebhookTenants,
    @Inject(QueueStates) private readonly queues: Pick<QueueStates, 'unserved'>,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {
    const { store, keys, log } = stores;
    this.#rounds = new Rounds({
      everyMs,
      round: async () => store.open.alone(keys.soleSweeper('alert'), everyMs / 2, async () => this.sweep()),
      onFault: onceASecond((error: unknown) =>
        log.warn({ event: 'alerts-fault', err: error }, 'it could not be looked at what people should be told; trying again'),
      ),
    });
  }

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
  }

  /** Looks once, for the tenants that have webhooks. Rejects when a store is away. */
  async sweep(): Promise<void> {
    const { tenants } = this.webhooks;
    if (tenants.length === 0) return;
    await this.#tell([...(await this.#failing(tenants)), ...(await this.#withoutWorkers(tenants))]);
  }

  async #failing(tenants: readonly string[]): Promise<readonly OutboxEvent[]> {
    const { database } = this.stores;
    const at = this.clock.now();
    const rows = await database.$queryRaw<ToolFailures[]>`
      SELECT tenant_id AS "tenantId", tool_name AS tool, count(*)::int AS calls, (count(*) FILTER (WHERE state = 'failed'))::int AS failed,
        mode() WITHIN GROUP (ORDER BY code) FILTER (WHERE state = 'failed') AS code
      FROM call_history WHERE tenant_id = ANY(${tenants}) AND finished_at >= ${new Date(at - spanMs)}
      GROUP BY tenant_id, tool_name
      HAVING count(*) >= ${leastCalls} AND count(*) FILTER (WHERE state = 'failed') >= ${leastShare}::float8 * count(*)`;
    return rows.map((row) => failingEvent(row, at, spanMs));
  }

  async #withoutWorkers(tenants: readonly string[]): Promise<readonly OutboxEvent[]> {
    const at = this.clock.now();
    const missing = await this.queues.unserved(this.stores.settings.DOMAINS);
    for (const domain of this.#since.keys()) if (!missing.includes(domain)) this.#since.delete(domain);
    for (const domain of missing) if (!this.#since.has(domain)) this.#since.set(domain, at);
    // Everybody's calls wait there.
    const ofAll = [...this.#since].filter(([, since]) => at - since >= unservedMs);
    const own = (await this.stores.servedDirectory.seen()).filter(
      ({ tenant, at: seen }) => tenants.includes(tenant) && at - seen >= unservedMs && at - seen < forgottenMs,
    );
    return [
      ...ofAll.flatMap(([domain, since]) => tenants.map((tenant) => unservedEvent(tenant, { domain, since, at }))),
      ...own.map(({ tenant, domain, at: since }) => unservedEvent(tenant, { domain, since, at })),
    ];
  }

  async #tell(events: readonly OutboxEvent[]): Promise<void> {
    const { database } = this.stores;
    if (events.length > 0) await database.$transaction(async (transaction) => this.outbox.add(transaction, events));
  }
}
