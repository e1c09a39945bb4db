import { Module } from '@nestjs/common';
import { WaitingModule } from '../calls/waiting/waiting.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { Stores } from '../stores.js';
import { rulesOf } from './rules-of.js';
import { Delivering } from './delivering.js';
import { DeliveryStore } from './delivery-store.js';
import { GuardedPosts } from './guarded-post.js';
import { Tries } from './tries.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookStore } from './webhook-store.js';
import { WebhooksController } from './webhooks.controller.js';
import { Webhooks } from './webhooks.js';

@Module({
  imports: [WaitingModule, OutboxModule],
  controllers: [WebhooksController],
  providers: [
    WebhookStore,
    DeliveryStore,
    // It has rules alone, so that a test may have others.
    { provide: GuardedPosts, inject: [Stores], useFactory: ({ settings }: Stores) => new GuardedPosts(rulesOf(settings)) },
    Tries,
    Webhooks,
    Delivering,
    WebhookSender,
  ],
})
export class WebhooksModule {}
