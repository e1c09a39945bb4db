import { Module } from '@nestjs/common';
import type { AddressRules } from '#lib/platform';
import { sharedClock } from '#lib/transport';
import { CallersModule } from '../callers/callers.module.js';
import { DecisionLinks } from '../inputs/decision-links.js';
import { InputsModule } from '../inputs/inputs.module.js';
import { Outbox } from '../outbox/outbox.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { WebhookTenants } from '../outbox/webhook-tenants.js';
import { Stores } from '../stores.js';
import { Delivering } from './delivering.js';
import { DeliveryStore } from './delivery-store.js';
import { GuardedPosts } from './guarded-post.js';
import { Tries } from './tries.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookStore } from './webhook-store.js';
import { WebhooksController } from './webhooks.controller.js';
import { Webhooks } from './webhooks.js';

@Module({
  imports: [CallersModule, InputsModule, OutboxModule],
  controllers: [WebhooksController],
  providers: [
    {
      provide: WebhookStore,
      inject: [Stores],
      useFactory: ({ database, settings }: Stores) => new WebhookStore(database, settings.INVOQ_NAMESPACE),
    },
    {
      provide: DeliveryStore,
      inject: [Stores, Outbox],
      useFactory: ({ database, settings }: Stores, outbox: Outbox) =>
        new DeliveryStore({ database, namespace: settings.INVOQ_NAMESPACE, outbox }),
    },
    { provide: GuardedPosts, inject: [Stores], useFactory: ({ settings }: Stores) => new GuardedPosts(rulesOf(settings)) },
    {
      provide: Tries,
      inject: [Stores, GuardedPosts, DecisionLinks],
      useFactory: ({ sealer, hooks: { url } }: Stores, posts: GuardedPosts, links: DecisionLinks) =>
        new Tries({ posts, sealer, links: { url, links }, now: sharedClock.now }),
    },
    {
      provide: Webhooks,
      inject: [Stores, WebhookStore, DeliveryStore, WebhookTenants, Tries],
      useFactory: (
        { sealer, settings }: Stores,
        store: WebhookStore,
        ...[deliveries, tenants, tries]: [DeliveryStore, WebhookTenants, Tries]
      ) => new Webhooks({ store, deliveries, tenants, tries, rules: rulesOf(settings), sealer, now: sharedClock.now }),
    },
    {
      provide: WebhookSender,
      inject: [Stores, DeliveryStore, Tries, WebhookStore],
      useFactory: ({ log, sealer }: Stores, store: DeliveryStore, ...[tries, webhooks]: [Tries, WebhookStore]) => {
        const delivering = new Delivering({ store, tries, log, now: sharedClock.now });
        return new WebhookSender({ store, delivering, reseal: () => webhooks.reseal(sealer), log, now: sharedClock.now });
      },
    },
  ],
})
export class WebhooksModule {}

/** Any public host. In development receivers run on the same machine. */
function rulesOf({ WEBHOOK_PRIVATE, NODE_ENV }: Stores['settings']): AddressRules {
  return { allowedHosts: [], allowPrivate: WEBHOOK_PRIVATE === undefined ? NODE_ENV !== 'production' : WEBHOOK_PRIVATE === 'allow' };
}
