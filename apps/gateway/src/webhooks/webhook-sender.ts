import { type BeforeApplicationShutdown, type OnApplicationBootstrap, Inject, Injectable } from '@nestjs/common';
import { onceASecond, Rounds, type Logger } from '#lib/platform';
import { Delivering } from './delivering.js';
import { DeliveryStore } from './delivery-store.js';
import type { WebhookRow } from './webhook-row.js';
import { Stores } from '../stores.js';
import { WebhookStore } from './webhook-store.js';
import { SharedClock, type Sealer } from '#lib/transport';

/** A gateway looks this often for webhooks that nobody works on. */
const everyMs = 500;
/**
 * Webhooks that one gateway works on: those that answer, and those whose last try failed. Receivers that hang take places of the second kind
 * alone after their first tries.
 */
const mostWorked = { answering: 256, failing: 256 } as const;
/** How often old deliveries are forgotten, and secrets sealed again. */
const tidyEveryMs = 600_000;

interface WebhookSenderParts {
  readonly store: Pick<DeliveryStore, 'claimable' | 'claim' | 'rest' | 'forget'>;
  /** Seals secrets with the first key; how many they were. */
  readonly reseal: () => Promise<number>;
  readonly delivering: Pick<Delivering, 'work'>;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
}

/**
 * Sends what is due. Every gateway has one; a webhook is one gateway's at a time, which claims its row, so that it is sent in order and
 * within its bounds. Whoever dies leaves the claim to run out, and then another sends again what may have arrived, under the same id.
 */
@Injectable()
export class WebhookSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #parts: WebhookSenderParts;
  readonly #rounds: Rounds;
  readonly #report: (error: unknown) => void;
  readonly #worked = { answering: new Set<Promise<void>>(), failing: new Set<Promise<void>>() };
  #tidiedAt = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(Stores) { log, sealer }: Pick<WebhookSenderParts, 'log'> & { readonly sealer: Sealer },
    @Inject(DeliveryStore) store: WebhookSenderParts['store'],
    @Inject(Delivering) delivering: WebhookSenderParts['delivering'],
    @Inject(WebhookStore) webhooks: Pick<WebhookStore, 'reseal'>,
    @Inject(SharedClock) { now }: Pick<SharedClock, 'now'>,
  ) {
    this.#parts = { log, store, delivering, reseal: () => webhooks.reseal(sealer), now };
    this.#report = onceASecond((error: unknown) =>
      log.warn({ event: 'webhooks-fault', err: error }, 'deliveries of webhooks could not be sent or noted; trying again'),
    );
    this.#rounds = new Rounds({ everyMs, round: async () => this.#take(), onFault: this.#report });
  }

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
    const { store, reseal, log, now } = this.#parts;
    for (const kind of await store.claimable(now())) {
      const worked = this.#worked[kind];
      for (const row of await store.claim(now(), { most: mostWorked[kind] - worked.size, kind })) {
        const work = this.#work(row).finally(() => worked.delete(work));
        worked.add(work);
      }
    }
    if (performance.now() - this.#tidiedAt < tidyEveryMs) return;
    this.#tidiedAt = performance.now();
    await store.forget(now());
    const resealed = await reseal();
    if (resealed > 0) log.info({ event: 'webhooks-resealed', webhooks: resealed }, 'secrets of webhooks are sealed with the first key now');
  }

  /** One that fails keeps its claim until it runs out, and does not keep the others. */
  async #work(row: WebhookRow): Promise<void> {
    try {
      await this.#parts.delivering.work(row, this.#rounds.stopping);
      await this.#parts.store.rest(row);
    } catch (error) {
      this.#report(error);
    }
  }
}
