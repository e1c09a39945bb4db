import { Inject, Injectable } from '@nestjs/common';
import { disabledEvent } from '../outbox/told-events.js';
import { type TryResult, DeliveryStore, type WebhookAfter } from './delivery-store.js';
import { Places } from './places.js';
import { Tries } from './tries.js';
import { verdictOn, type Verdict } from './verdict.js';
import type { DeliveryRow, WebhookRow } from './webhook-row.js';
import { Stores } from '../stores.js';
import { SharedClock } from '#lib/transport';

/** Tries of one webhook at a time: of one that answers, and of one whose last try failed. */
const mostOfWebhook = { answering: 4, failing: 1 } as const;
/** Of all webhooks of a tenant together, at one gateway; a receiver that takes longer than a second does not count, and gets no more. */
const ofTenant = { most: 16, yieldMs: 1_000 } as const;
const mostOfRound = 40;
/** Work on one webhook, until others have their turn. With one more try it is less than the claim. */
const workMs = 20_000;

/** How a webhook fares while its deliveries are sent. */
interface Health {
  failingSince: Date | null;
  heldUntil: Date | null;
  isDisabled: boolean;
}

/** Sends the deliveries of webhooks that are due. */
@Injectable()
export class Delivering {
  readonly #places = new Places(ofTenant);

  constructor(
    private readonly stores: Stores,
    private readonly store: DeliveryStore,
    private readonly tries: Tries,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  /** Sends what is due of one webhook, for some seconds at most. Rejects when Postgres is away: what was not noted is sent again. */
  async work(webhook: WebhookRow, stop: AbortSignal): Promise<void> {
    const { failingSince, heldUntil } = webhook;
    const health: Health = { failingSince, heldUntil, isDisabled: false };
    const until = performance.now() + workMs;
    const goesOn = (): boolean =>
      !stop.aborted && !health.isDisabled && performance.now() < until && (health.heldUntil?.getTime() ?? 0) <= this.clock.now();
    while (goesOn()) {
      const due = [...(await this.store.due(webhook, this.clock.now(), mostOfRound))];
      if (due.length === 0) return;
      const most = health.failingSince ? mostOfWebhook.failing : mostOfWebhook.answering;
      const send = async (): Promise<void> => {
        for (let row = due.shift(); row && goesOn(); row = due.shift()) {
          const next = row;
          await this.#places.within(webhook.tenantId, until - performance.now(), async () => goesOn() && this.#send(webhook, next, health));
        }
      };
      await Promise.all(Array.from({ length: most }, send));
    }
  }

  async #send(webhook: WebhookRow, row: DeliveryRow, health: Health): Promise<void> {
    const { answer, at, durationMs } = await this.tries.make(webhook, row);
    const failingSince = health.failingSince?.getTime() ?? null;
    const verdict = verdictOn(answer, { tries: row.tries + 1, failingSince, now: this.clock.now(), chance: Math.random() });
    const { status, error } = answer;
    const dueAt = verdict.state !== 'succeeded' && verdict.dueAt !== null ? new Date(verdict.dueAt) : null;
    const attempt: TryResult = { state: verdict.state, dueAt, at: new Date(at), status, error, durationMs };
    await this.store.settle(row, attempt, this.#after(webhook, verdict, health));
  }

  /** What becomes of the webhook; null where nothing does. */
  #after(webhook: WebhookRow, verdict: Verdict, health: Health): WebhookAfter | null {
    const at = new Date(this.clock.now());
    if (verdict.state === 'succeeded') {
      if (!health.failingSince && !health.heldUntil) return null;
      health.failingSince = null;
      health.heldUntil = null;
      return { failingSince: null, heldUntil: null, disabled: null };
    }
    health.failingSince ??= at;
    if (verdict.heldUntil !== null) health.heldUntil = new Date(Math.max(verdict.heldUntil, health.heldUntil?.getTime() ?? 0));
    const { disables: reason } = verdict;
    if (reason !== null && !health.isDisabled) {
      health.isDisabled = true;
      this.stores.log.warn(
        { event: 'webhook-disabled', webhook_id: webhook.id, tenant_id: webhook.tenantId, reason },
        'a webhook is disabled',
      );
    }
    const { failingSince, heldUntil } = health;
    const disabled = reason === null ? null : { reason, at, event: disabledEvent(webhook, reason, at) };
    return { failingSince, heldUntil, disabled };
  }
}
