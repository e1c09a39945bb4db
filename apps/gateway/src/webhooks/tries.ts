import { Inject, Injectable } from '@nestjs/common';
import { productVersion } from '#lib/platform';
import { GuardedPosts } from './guarded-post.js';
import { signedHeaders } from './signature.js';
import type { TryAnswer } from './verdict.js';
import { secretsOf, type DeliveryRow, type WebhookRow } from './webhook-row.js';
import { withDecisionLink } from './with-decision-link.js';
import { Stores } from '../stores.js';
import { DecisionLinks } from '../calls/waiting/decision-links.js';
import { SharedClock } from '#lib/transport';

/** An answer, when it came (epoch ms), and after how long. */
export interface Try {
  readonly answer: TryAnswer;
  readonly at: number;
  readonly durationMs: number;
}

/** Tries of deliveries: each is signed as it is sent. */
@Injectable()
export class Tries {
  constructor(
    private readonly stores: Stores,
    private readonly posts: GuardedPosts,
    private readonly links: DecisionLinks,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  /** Sends a delivery once. Never rejects. */
  async make(webhook: WebhookRow, delivery: Pick<DeliveryRow, 'eventId' | 'body' | 'url'>): Promise<Try> {
    const startedAt = performance.now();
    const answer = await this.#send(webhook, delivery);
    return { answer, at: this.clock.now(), durationMs: Math.round(performance.now() - startedAt) };
  }

  async #send(webhook: WebhookRow, { eventId, body: stored, url }: Pick<DeliveryRow, 'eventId' | 'body' | 'url'>): Promise<TryAnswer> {
    // Whoever reads deliveries later may not approve.
    const body =
      webhook.approves && url === null ? withDecisionLink({ url: this.stores.hooks.url, links: this.links }, webhook, stored) : stored;
    const secrets = this.#secrets(webhook);
    if (!secrets) return { status: null, retryAfter: null, error: 'its secret was sealed by a key that is gone: rotate it' };
    const headers = {
      'content-type': 'application/json',
      'user-agent': `Invoq/${productVersion()}`,
      ...signedHeaders(secrets, { id: eventId, timestamp: Math.floor(this.clock.now() / 1_000), body }),
    };
    return this.posts.send({ url: url ?? webhook.url, headers, body });
  }

  #secrets(webhook: WebhookRow): readonly string[] | null {
    try {
      return secretsOf(this.stores.sealer, webhook, this.clock.now());
    } catch {
      return null;
    }
  }
}
