import { Inject, Injectable } from '@nestjs/common';
import { productVersion } from '#lib/platform';
import type { Sealer } from '#lib/transport';
import { GuardedPosts } from './guarded-post.js';
import { signedHeaders } from './signature.js';
import type { TryAnswer } from './verdict.js';
import { secretsOf, type DeliveryRow, type WebhookRow } from './webhook-row.js';
import { withDecisionLink, type DecisionLinksAt } from './with-decision-link.js';
import { Stores } from '../stores.js';
import { DecisionLinks } from '../calls/waiting/decision-links.js';
import { SharedClock } from '#lib/transport';

interface TriesParts {
  readonly posts: Pick<GuardedPosts, 'send'>;
  readonly sealer: Pick<Sealer, 'openText'>;
  readonly links: DecisionLinksAt;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
}

/** An answer, when it came (epoch ms), and after how long. */
export interface Try {
  readonly answer: TryAnswer;
  readonly at: number;
  readonly durationMs: number;
}

/** Tries of deliveries: each is signed as it is sent. */
@Injectable()
export class Tries {
  readonly #parts: TriesParts;

  constructor(
    @Inject(Stores) { sealer, hooks: { url } }: Pick<TriesParts, 'sealer'> & { readonly hooks: Pick<Stores['hooks'], 'url'> },
    @Inject(GuardedPosts) posts: TriesParts['posts'],
    @Inject(DecisionLinks) links: DecisionLinksAt['links'],
    @Inject(SharedClock) { now }: Pick<SharedClock, 'now'>,
  ) {
    this.#parts = { posts, sealer, links: { url, links }, now };
  }

  /** Sends a delivery once. Never rejects. */
  async make(webhook: WebhookRow, delivery: Pick<DeliveryRow, 'eventId' | 'body' | 'url'>): Promise<Try> {
    const startedAt = performance.now();
    const answer = await this.#send(webhook, delivery);
    return { answer, at: this.#parts.now(), durationMs: Math.round(performance.now() - startedAt) };
  }

  async #send(webhook: WebhookRow, { eventId, body: stored, url }: Pick<DeliveryRow, 'eventId' | 'body' | 'url'>): Promise<TryAnswer> {
    const { posts, now, links } = this.#parts;
    // Whoever reads deliveries later may not approve.
    const body = webhook.approves && url === null ? withDecisionLink(links, webhook, stored) : stored;
    const secrets = this.#secrets(webhook);
    if (!secrets) return { status: null, retryAfter: null, error: 'its secret was sealed by a key that is gone: rotate it' };
    const headers = {
      'content-type': 'application/json',
      'user-agent': `Invoq/${productVersion()}`,
      ...signedHeaders(secrets, { id: eventId, timestamp: Math.floor(now() / 1_000), body }),
    };
    return posts.send({ url: url ?? webhook.url, headers, body });
  }

  #secrets(webhook: WebhookRow): readonly string[] | null {
    try {
      return secretsOf(this.#parts.sealer, webhook, this.#parts.now());
    } catch {
      return null;
    }
  }
}
