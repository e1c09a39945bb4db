import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { onceASecond, Rounds } from '#lib/platform';
import { Delivering } from './delivering.js';
import { DeliveryStore } from './delivery-store.js';
import type { WebhookRow } from './webhook-row.js';
import { Stores } from '../stores.js';
import { WebhookStore } from './webhook-store.js';
import { SharedClock } from '#lib/transport';

/** A gateway looks this often for webhooks that nobody works on. */
const everyMs = 500;
/**
 * Webhooks that one gateway works on: those that answer, and those whose last try failed. Receivers that hang take places of the second kind
 * alone after their first tries.
 */
const mostWorked = { answering: 256, failing: 256 } as const;
/** How often old deliveries are forgotten, and secrets sealed again. */
const tidyEveryMs = 600_000;

/**
 * Sends what is due. Every gateway has one; a webhook is one gateway's at a time, which claims its row, so that it is sent in order and
 * within its bounds. Whoever dies leaves the claim to run out, and then another sends again what may have arrived, under the same id.
 */
@Injectable()
export class WebhookSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #report = onceASecond((error: unknown) =>
    this.stores.log.warn({ event: 'webhooks-fault', err: error }, 'deliveries of webhooks could not be sent or noted; trying again'),
  );
  readonly #rounds = new Rounds({ everyMs, round: async () => this.#take(), onFault: this.#report });
  readonly #worked = { answering: new Set<Promise<void>>(), failing: new Set<Promise<void>>() };
  #tidiedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly stores: Stores,
    private readonly store: DeliveryStore,
    private readonly delivering: Delivering,
    @Inject(WebhookStore) private readonly webhooks: Pick<WebhookStore, 'reseal'>,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
    await this.#settled();
  }

  /** Sends everything that is due, of webhooks that nobody else works on. Rejects when Postgres is away. */
  async sweep(): Promise<void> {
    await this.#take();
    await this.#settled();
  }

  async #settled(): Promise<void> {
    await Promise.all([...this.#worked.answering, ...this.#worked.failing]);
  }

  /** Begins to work on webhooks that have something due. */
  async #take(): Promise<void> {
    const { log, sealer } = this.stores;
    for (const kind of await this.store.claimable(this.clock.now())) {
      const worked = this.#worked[kind];
      for (const row of await this.store.claim(this.clock.now(), { most: mostWorked[kind] - worked.size, kind })) {
        const work = this.#work(row).finally(() => worked.delete(work));
        worked.add(work);
      }
    }
    if (performance.now() - this.#tidiedAt < tidyEveryMs) return;
    this.#tidiedAt = performance.now();
    await this.store.forget(this.clock.now());
    const resealed = await this.webhooks.reseal(sealer);
    if (resealed > 0) log.info({ event: 'webhooks-resealed', webhooks: resealed }, 'secrets of webhooks are sealed with the first key now');
  }

  /** One that fails keeps its claim until it runs out, and does not keep the others. */
  async #work(row: WebhookRow): Promise<void> {
    try {
      await this.delivering.work(row, this.#rounds.stopping);
      await this.store.rest(row);
    } catch (error) {
      this.#report(error);
    }
  }
}
